// A subscription as the API shows it. No I/O.
import { knownOf } from '../http/array.ts'
import { isoTime } from '../http/time.ts'
import { EVENT_CHOICES, type Webhook, type WebhookDetail, type WebhookStatus } from './fields.ts'
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
    events: knownOf(EVENT_CHOICES, events),
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

/** `recent`: the last attempts that ended. */
export function webhookStatus(
  webhook: WebhookRecord,
  counts: DeliveryCounts,
  recent: { status: string }[],
  nowSeconds: number,
): WebhookStatus {
  const succeeded = recent.filter(({ status }) => status === 'succeeded').length
  return {
    ...webhookDetail(webhook, counts, nowSeconds),
    last_success_at: timeOf(counts.lastSuccessMs),
    last_failure_at: timeOf(counts.lastFailureMs),
    recent: { succeeded, failed: recent.length - succeeded },
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(Math.floor(ms / 1000))
}
