// Sends an event to the queue of deliveries, as one message for up to 25 subscriptions that get it, and keeps
// it for their log.
import { type EventMessage, MAX_SUBSCRIPTIONS } from '../../events/message.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import { slices } from '../../table/concurrency.ts'
import { deliveriesMessage } from '../delivery.ts'
import { findReceivers } from '../store/receivers.ts'
import { type FanOutEntry, isSlow, shouldDeliver } from '../webhook.ts'
import { keepEvent } from './kept-events.ts'

/**
 * Throws if the queue rejects a message. All are then sent again, and the claims drop duplicates. A slow
 * subscription has messages and a group of its own, so that its backlog delays the others less.
 */
export async function fanOut(
  event: EventMessage,
  {
    table,
    sender,
    nowMs,
    log,
  }: Pick<JobContext, 'table' | 'sender' | 'nowMs'> & Partial<Pick<JobContext, 'log'>>,
): Promise<void> {
  const { entries, slow } = await findReceivers(table, { event: event.event, nowMs })
  const receivers = entries.filter(entry => shouldDeliver(entry, event, nowMs))
  const later = entries.filter(entry => !shouldDeliver(entry, event, nowMs))
  if (later.length > 0) {
    const webhooks = later.map(({ id, active_since_ms }) => ({ id, active_since_ms }))
    log?.('warn', 'an event is older than subscriptions', {
      event_id: event.id,
      happened_ms: event.happened_ms,
      webhooks,
    })
  }
  if (receivers.length === 0) return
  const quick = receivers.filter(({ id }) => !isSlow(slow, id, nowMs)).toSorted(byOwner)
  const alone = receivers.filter(({ id }) => isSlow(slow, id, nowMs))
  const groups = [...slices(quick, MAX_SUBSCRIPTIONS), ...alone.map(entry => [entry])]
  const messages = groups.map(group => deliveriesMessage(group, event))
  const [sent] = await Promise.all([sender.send(messages), keepEvent(table, event, nowMs)])
  requireSent(sent, `messages with deliveries of ${event.id}`)
}

/** The owners of a message are read with it, so it has few. */
function byOwner(a: FanOutEntry, b: FanOutEntry): number {
  return a.owner_id - b.owner_id || a.id - b.id
}
