// Delivers an event to subscriptions, to each at most once: claim, one POST, finalise. A message is done when
// each of its deliveries has an outcome; what failed before its claim is tried again with the message.
import { wasListening } from '../../accounts/ban.ts'
import { isBanned } from '../../accounts/user.ts'
import type { DeliveriesMessage, EventMessage, RedeliveryMessage } from '../../events/message.ts'
import type { JobContext } from '../../runtime/job.ts'
import { type AttemptOutcome, deliveriesMessage, openDelivery, stateOfClaim } from '../delivery.ts'
import { sentEvent } from '../sent-event.ts'
import { findSubscribers, type Subscriber, type SubscriptionRef } from '../store/subscribers.ts'
import { shouldDeliver, type WebhookRecord } from '../webhook.ts'
import { attempt, attemptOnce, endClaim } from './attempt.ts'
import { findClaim } from './deliveries.ts'
import { keepEvent } from './kept-events.ts'
import { sendAgain } from './send-again.ts'
import { sideBySide } from './side-by-side.ts'
import type { SendContext } from './signed-request.ts'

/**
 * Checks again that each subscription still exists and gets the event, and that its owner is an unbanned
 * admin. A repeated message finds its deliveries claimed. None waits for another.
 */
export async function deliver(
  message: DeliveriesMessage | RedeliveryMessage,
  job: JobContext,
): Promise<void> {
  if ('attempts' in message) return await sendAgain(message, job)
  const { event, subscriptions: refs } = message
  const start = (context: JobContext) => {
    const { table, nowMs } = context
    const readMs = performance.now()
    const finding = findSubscribers(table, { refs, nowMs })
    const sent = sentEvent(event)
    return async (ref: SubscriptionRef, n: number): Promise<void> => {
      const webhook = listenerIn(context, (await finding)[n], event)
      if (webhook) {
        await attemptOnce({ ...context, readMs }, webhook, sent, openDelivery(webhook, event))
      } else {
        await endEarlierClaim(context, ref, event)
      }
    }
  }
  await sideBySide(job, refs, start, some => deliveriesMessage(some, event))
}

/** The subscription, if it gets the event. */
function listenerIn(
  { nowMs, log }: Pick<JobContext, 'nowMs' | 'log'>,
  subscriber: Subscriber | undefined,
  event: EventMessage,
): WebhookRecord | undefined {
  const { webhook, owner } = subscriber ?? {}
  if (!webhook || !owner) return undefined
  const { id: event_id, happened_ms } = event
  if (shouldDeliver(webhook, event, nowMs) && wasListening(owner, happened_ms, nowMs)) return webhook
  if (webhook.is_active && !isBanned(owner, Math.floor(nowMs / 1000))) {
    const { unbanned_at_ms, admin_since_ms } = owner
    const moments = { active_since_ms: webhook.active_since_ms, unbanned_at_ms, admin_since_ms }
    log('warn', 'an event is older than its subscription', {
      event_id,
      happened_ms,
      webhook_id: webhook.id,
      ...moments,
    })
  }
  return undefined
}

/** The subscription gets the event no more, but an earlier attempt may have claimed the delivery. */
async function endEarlierClaim(
  context: JobContext,
  ref: SubscriptionRef,
  event: EventMessage,
): Promise<void> {
  const delivery = { webhook_id: ref.id, owner_id: ref.owner_id, event_id: event.id }
  const earlier = await findClaim(context.table, delivery)
  if (earlier) await endClaim(context, delivery, stateOfClaim(earlier, context.nowMs))
}

/** Sends without a message, as a test ping. Returns undefined if the delivery was claimed before. */
export async function sendDelivery(
  context: SendContext & { readMs: number },
  webhook: WebhookRecord,
  event: EventMessage,
): Promise<AttemptOutcome | undefined> {
  const attempting = attempt(context, webhook, sentEvent(event), openDelivery(webhook, event))
  const [result] = await Promise.all([attempting, keepEvent(context.table, event, context.nowMs)])
  return typeof result === 'string' ? undefined : result
}
