// A subscription as the API shows it. No I/O.
import type { Webhook } from './contract.ts'
import type { DeliveryCounts, WebhookRecord } from './webhook.ts'

/** Without the secret, which is shown only when it is created. */
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
