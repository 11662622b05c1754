// Sends a test event while its owner waits for the outcome, and explains a failure.
import { TEST_EVENT } from '../../events/catalogue.ts'
import { eventMessage } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError } from '../../http/errors.ts'
import type { Environment } from '../../runtime/environment.ts'
import { firstAttempt, putEvent, sentEvent } from '../delivery.ts'
import { getWebhook, type WebhookRef } from '../store/webhooks.ts'
import { claimAndSend, eventFor } from './deliver.ts'

/** Inactive subscriptions get a ping as well, and it is counted. Throws DELIVERY_FAILED with the reason. */
export async function ping(
  { table, nowMs, siteUrl }: UnitOfWork,
  environment: Environment,
  ref: WebhookRef,
  requestId: string,
) {
  const webhook = await getWebhook(table, ref)
  const data = { id: ref.id, url: await siteUrl(), message: 'This is a test of your webhook.' }
  const happened = { event: TEST_EVENT, happened_ms: nowMs, request_id: requestId, data }
  const event = sentEvent(eventMessage(happened, nowMs))
  const attempt = firstAttempt(webhook, event.id)
  const own = eventFor({ environment }, webhook, event, nowMs)
  // Before the claim: a failure after it would leave a delivery on its way, whose outcome is not stored.
  await table.write(putEvent(event))
  const outcome = await claimAndSend({ table, environment, nowMs }, { ref: attempt, webhook, event: own })
  if (!outcome) throw new Error('The delivery of a new event was claimed already.')
  const { response_status, duration_ms, error_detail } = outcome
  if (error_detail !== null || response_status === null || duration_ms === null) {
    throw new ApiError('DELIVERY_FAILED', `The test failed. ${error_detail}`)
  }
  return { delivered: true as const, response_status, duration_ms }
}
