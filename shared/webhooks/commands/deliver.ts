// Delivers an event to a subscription at most once: claim, one POST, finalise. Failures before the claim are
// retried.
import { wasListening } from '../../accounts/ban.ts'
import { findAdmin } from '../../accounts/store/admins.ts'
import type { DeliveryMessage, EventMessage } from '../../events/message.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { JobContext } from '../../runtime/job.ts'
import { currentSettings } from '../../site/store/settings.ts'
import type { Table } from '../../table/client.ts'
import { addressPolicy } from '../address.ts'
import { type AttemptOutcome, type DeliveryOutcome, deliveryId, openDelivery } from '../delivery.ts'
import { openSecret } from '../secret.ts'
import { signatureHeaders } from '../signature.ts'
import { listInterruptedDeliveries } from '../store/deliveries.ts'
import { findWebhook } from '../store/webhooks.ts'
import { shouldDeliver, type WebhookRecord } from '../webhook.ts'
import { claimDelivery, finaliseDelivery } from './deliveries.ts'
import { sendOnce, type WebhookRequest } from './request.ts'

/** Promised in the API's document (openapi/webhooks.ts). */
const TIMEOUT_MS = 5_000

export type SendContext = { table: Table; environment: Environment; nowMs: number }

/**
 * Checks again that the subscription still exists and gets the event, and that its owner is an unbanned
 * admin. A repeated message finds its delivery claimed and is dropped.
 */
export async function deliver(
  { webhook_id, owner_id, event }: DeliveryMessage,
  job: JobContext,
): Promise<void> {
  const [webhook, owner] = await Promise.all([
    findWebhook(job.table, { ownerId: owner_id, id: webhook_id }),
    findAdmin(job.table, owner_id, {
      nowSeconds: job.work.nowSeconds,
      settings: currentSettings(job.table, job.nowMs),
    }),
  ])
  if (!webhook || !shouldDeliver(webhook, event)) return
  if (!owner || !wasListening(owner, event.happened_ms)) return
  const outcome = await sendDelivery(job, webhook, event)
  if (outcome) {
    job.log(outcome.ok ? 'info' : 'warn', 'delivery', {
      request_id: event.request_id,
      ...(event.gateway_request_id && { gateway_request_id: event.gateway_request_id }),
      event_id: event.id,
      event: event.event,
      webhook_id,
      // Only the host: path and query may contain secrets.
      host: URL.parse(webhook.url)?.host,
      ...outcome,
    })
  }
}

/** Returns the outcome, or undefined if the delivery was claimed before. */
export async function sendDelivery(
  context: SendContext,
  webhook: WebhookRecord,
  event: EventMessage,
): Promise<AttemptOutcome | undefined> {
  const { table, nowMs } = context
  const delivery = openDelivery(webhook, event)
  const request = signedRequest(context, webhook, event, deliveryId(delivery))
  if (!(await claimDelivery(table, delivery, event, nowMs))) return undefined
  const outcome = await sendOnce(request)
  await finaliseDelivery(table, delivery, outcome)
  return outcome
}

/** Fails deliveries whose function died after the claim, since they may have been sent. Returns how many. */
export async function finaliseInterruptedDeliveries(table: Table, nowMs: number): Promise<number> {
  const interrupted = await listInterruptedDeliveries(table, nowMs)
  for (const delivery of interrupted) await finaliseDelivery(table, delivery, INTERRUPTED)
  return interrupted.length
}

const INTERRUPTED: DeliveryOutcome = {
  ok: false,
  responseStatus: null,
  error: 'interrupted',
  durationMs: null,
}

/** Builds the body as one string, so that the signed bytes are the sent bytes. */
function signedRequest(
  { environment, nowMs }: SendContext,
  webhook: WebhookRecord,
  { event, occurred_at, data, request_id }: EventMessage,
  id: string,
): WebhookRequest {
  const body = JSON.stringify({ event, occurred_at, data })
  const signature = signatureHeaders({
    secret: openSecret(environment, webhook),
    body,
    deliveryId: id,
    timestampSeconds: Math.floor(nowMs / 1000),
  })
  return {
    url: webhook.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `headless-content-service/${environment.SERVICE_VERSION}`,
      'X-Request-Id': request_id,
      ...signature,
    },
    body,
    policy: addressPolicy(environment),
    timeoutMs: TIMEOUT_MS,
  }
}
