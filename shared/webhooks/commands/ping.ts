// Sends a test event while its owner waits for the outcome, and explains a failure.
import { newEventId } from '../../events/event-id.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError } from '../../http/errors.ts'
import { isoTime } from '../../http/time.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { FailureCode } from '../delivery.ts'
import { getWebhook, type WebhookRef } from '../store/webhooks.ts'
import { sendDelivery } from './deliver.ts'

/** Inactive subscriptions get a ping as well, and it is counted. Throws DELIVERY_FAILED with the reason. */
export async function ping(
  { table, nowMs, nowSeconds, siteUrl }: UnitOfWork,
  environment: Environment,
  ref: WebhookRef,
  requestId: string,
) {
  const readMs = performance.now()
  const { webhook } = await getWebhook(table, ref)
  const outcome = await sendDelivery({ table, environment, nowMs, readMs }, webhook, {
    kind: 'event',
    id: newEventId(nowMs),
    event: 'test.ping',
    occurred_at: isoTime(nowSeconds),
    happened_ms: nowMs,
    request_id: requestId,
    data: { id: webhook.id, url: await siteUrl(), message: 'This is a test of your webhook.' },
  })
  if (!outcome) throw new Error('The delivery of a new event was claimed already.')
  const { error, responseStatus, durationMs } = outcome
  if (error !== null || responseStatus === null) {
    throw new ApiError(
      'DELIVERY_FAILED',
      `The test failed: ${reasonOf(error ?? 'protocol', responseStatus)}.`,
    )
  }
  return { delivered: true as const, response_status: responseStatus, duration_ms: durationMs }
}

function reasonOf(error: FailureCode, responseStatus: number | null): string {
  if (error === 'status') return `the receiver answered ${responseStatus}`
  if (error === 'redirect') return `the receiver answered ${responseStatus}, and redirects are not followed`
  return REASONS[error]
}

const REASONS: Record<Exclude<FailureCode, 'status' | 'redirect'>, string> = {
  blocked_address: 'the address is not public, and nothing is sent to such addresses',
  connection: 'the connection failed or broke',
  dns: 'the host name could not be resolved',
  invalid_request: 'the URL cannot be requested',
  protocol: 'the answer was not HTTP',
  timeout: 'the receiver did not answer within 5 seconds',
  tls: 'the TLS connection failed. Check the certificate',
}
