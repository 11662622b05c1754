// Delivers an event to subscriptions, to each at most once: claim, one POST, finalise. A message is done when
// each of its deliveries has an outcome; what failed before its claim is tried again with the message.
import { wasListening } from '../../accounts/ban.ts'
import type { DeliveriesMessage, DeliveryMessage, EventMessage } from '../../events/message.ts'
import type { JobContext } from '../../runtime/job.ts'
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'
import {
  type AttemptOutcome,
  type ClaimState,
  deliveryId,
  INTERRUPTED,
  type OpenDelivery,
  openDelivery,
  stateOfClaim,
} from '../delivery.ts'
import { findClaim, listInterruptedDeliveries } from '../store/deliveries.ts'
import { findSubscribers, type Subscriber, type SubscriptionRef } from '../store/subscribers.ts'
import { shouldDeliver, type WebhookRecord } from '../webhook.ts'
import { claim, claimDelivery } from './deliveries.ts'
import { finaliseDelivery, finaliseSoon } from './finalise.ts'
import { whileInFlight } from './in-flight.ts'
import { sendOnce } from './request.ts'
import { type SendContext, signedRequest } from './signed-request.ts'
import { markSlow } from './version.ts'

/** `isIndexed`: the sweep ends a delivery whose function died, and not the message (`claim`). */
type Job = JobContext & { event: EventMessage; isIndexed: boolean }

/**
 * Checks again that each subscription still exists and gets the event, and that its owner is an unbanned
 * admin. A repeated message finds its deliveries claimed. None waits for another.
 */
export async function deliver(
  message: DeliveriesMessage | DeliveryMessage,
  context: JobContext,
): Promise<void> {
  const { event } = message
  const isIndexed = 'webhook_id' in message
  const refs = isIndexed ? [{ id: message.webhook_id, owner_id: message.owner_id }] : message.subscriptions
  const job = { ...context, event, isIndexed }
  const finding = findSubscribers(job.table, { refs, nowMs: job.nowMs })
  const deliverOne = async (ref: SubscriptionRef, n: number): Promise<void> => {
    const webhook = listenerIn((await finding)[n], event)
    return webhook ? deliverOnce(job, webhook) : endEarlierClaim(job, ref)
  }
  const ended = await Promise.allSettled(
    refs.map((ref, n) => whileInFlight(job.table, () => deliverOne(ref, n))),
  )
  const failed = ended.filter(outcome => outcome.status === 'rejected')
  if (failed[0]) {
    throw new Error(`${failed.length} of ${refs.length} deliveries failed.`, { cause: failed[0].reason })
  }
}

/** The subscription, if it gets the event. */
function listenerIn(subscriber: Subscriber | undefined, event: EventMessage): WebhookRecord | undefined {
  const { webhook, owner } = subscriber ?? {}
  if (!webhook || !shouldDeliver(webhook, event)) return undefined
  return owner && wasListening(owner, event.happened_ms) ? webhook : undefined
}

/** The deliveries that this process is sending. A duplicate waits for its twin. */
const sendingOf = perTable(() => new Map<string, Promise<void>>())

async function deliverOnce(job: Job, webhook: WebhookRecord): Promise<void> {
  const sending = sendingOf(job.table)
  const id = deliveryId(openDelivery(webhook, job.event))
  const twin = sending.get(id)
  if (twin) return await twin
  const own = claimAndSend(job, webhook).finally(() => sending.delete(id))
  sending.set(id, own)
  await own
}

async function claimAndSend(job: Job, webhook: WebhookRecord): Promise<void> {
  const { table, nowMs, event, isIndexed } = job
  const delivery = openDelivery(webhook, event)
  const request = signedRequest(job, webhook, event, deliveryId(delivery))
  const state = await claim(table, delivery, event, { nowMs, isIndexed })
  if (state !== 'claimed') return await endClaim(table, delivery, state)
  const outcome = await sendOnce(request)
  const marking = outcome.error === 'timeout' ? markSlow(table, webhook.id, nowMs) : undefined
  await Promise.all([finaliseSoon(table, delivery, outcome), marking])
  logOutcome(job, webhook, outcome)
}

/** A message ends the claim of a function that died, and stays until then. */
async function endClaim(table: Table, delivery: OpenDelivery, state: ClaimState): Promise<void> {
  if (state === 'interrupted') await finaliseDelivery(table, delivery, INTERRUPTED)
  if (state === 'sending') throw new Error('Another function may be sending this delivery.')
}

/** The subscription gets the event no more, but an earlier attempt may have claimed the delivery. */
async function endEarlierClaim({ table, nowMs, event, isIndexed }: Job, ref: SubscriptionRef): Promise<void> {
  if (isIndexed) return
  const delivery = { webhook_id: ref.id, owner_id: ref.owner_id, event_id: event.id }
  const earlier = await findClaim(table, delivery)
  if (earlier) await endClaim(table, delivery, stateOfClaim(earlier, nowMs))
}

function logOutcome({ log, event }: Job, webhook: WebhookRecord, outcome: AttemptOutcome): void {
  log(outcome.ok ? 'info' : 'warn', 'delivery', {
    request_id: event.request_id,
    ...(event.gateway_request_id && { gateway_request_id: event.gateway_request_id }),
    event_id: event.id,
    event: event.event,
    webhook_id: webhook.id,
    // Only the host: path and query may contain secrets.
    host: URL.parse(webhook.url)?.host,
    ...outcome,
  })
}

/** Sends without a message, as a test ping. Returns undefined if the delivery was claimed before. */
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
  await finaliseSoon(table, delivery, outcome)
  return outcome
}

/** Fails indexed deliveries whose function died after the claim. Returns how many. */
export async function finaliseInterruptedDeliveries(table: Table, nowMs: number): Promise<number> {
  const interrupted = await listInterruptedDeliveries(table, nowMs)
  for (const delivery of interrupted) await finaliseDelivery(table, delivery, INTERRUPTED)
  return interrupted.length
}
