// A subscription as the API shows it. No I/O.
import { isoTime } from '../http/time.ts'
import type { Webhook, WebhookDetail } from './contract.ts'
import { rotationEnd } from './rotation.ts'
import type { DeliveryCounts, WebhookRecord } from './webhook.ts'

/** Without the secret, which is shown only when it is created or rotated. */
export function webhookView(
  { id, name, url, events, is_active }: WebhookRecord,
  { total, failed }: DeliveryCounts,
): Webhook {
  return {
    id,
    name,
    url,
    events,
    is_active,
    total_deliveries: total,
    failed_deliveries: failed,
  }
}

/** What only an answer about a single subscription shows. */
export function webhookDetail(
  webhook: WebhookRecord,
  counts: DeliveryCounts,
  nowSeconds: number,
): WebhookDetail {
  const endsAt = rotationEnd(webhook, nowSeconds)
  return {
    ...webhookView(webhook, counts),
    secret_rotation: endsAt === undefined ? null : { ends_at: isoTime(endsAt) },
  }
}
