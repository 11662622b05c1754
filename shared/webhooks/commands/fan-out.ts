// Sends an event to the queue of deliveries, as one message for up to 25 subscriptions that get it, and keeps
// it for their log.
import { type EventMessage, MAX_DELIVERIES } from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import { slices } from '../../table/concurrency.ts'
import { eventKey } from '../../table/design.ts'
import { deliveriesMessage, firstAttempt, type SentEvent, sentEvent } from '../delivery.ts'
import { listFanOutEntries } from '../store/webhooks.ts'
import { type FanOutEntry, shouldDeliver } from '../webhook.ts'

/** Throws if the queue rejects a message. All are then sent again, and the claims drop duplicates. */
export async function fanOut(
  event: EventMessage,
  { table, sender, nowMs }: Pick<JobContext, 'table' | 'sender' | 'nowMs'>,
): Promise<void> {
  const all = await listFanOutEntries(table)
  const receivers = all.filter(entry => shouldDeliver(entry, event, nowMs)).toSorted(byOwner)
  if (receivers.length === 0) return
  const attempts = receivers.map(receiver => firstAttempt(receiver, event.id))
  const messages = slices(attempts, MAX_DELIVERIES).map(some => deliveriesMessage(some, event))
  const [sent] = await Promise.all([sender.send(messages), table.write(putEvent(sentEvent(event)))])
  requireSent(sent, `messages with deliveries of ${event.id}`)
}

/** The owners of a message are read with it, so it has few. */
function byOwner(a: FanOutEntry, b: FanOutEntry): number {
  return a.owner_id - b.owner_id || a.id - b.id
}

/** Keeps the event for the log. It always writes the same, so it may be repeated. */
export function putEvent(event: SentEvent) {
  return { Put: { Item: { ...eventKey(event.id), ...event, schema: 1 } } }
}
