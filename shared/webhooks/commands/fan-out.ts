// Sends an event to the queue of deliveries, as one message for up to 25 subscriptions that get it, and keeps
// it for their log.
import { type EventMessage, MAX_SUBSCRIPTIONS, type Message } from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import type { Table } from '../../table/client.ts'
import { slices } from '../../table/concurrency.ts'
import { eventKey } from '../../table/design.ts'
import { type SentEvent, sentEvent } from '../delivery.ts'
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
  const messages = slices(receivers, MAX_SUBSCRIPTIONS).map(some => deliveriesMessage(some, event))
  const [sent] = await Promise.all([sender.send(messages), keepEvent(table, sentEvent(event))])
  requireSent(sent, `messages with deliveries of ${event.id}`)
}

/** The owners of a message are read with it, so it has few. */
function byOwner(a: FanOutEntry, b: FanOutEntry): number {
  return a.owner_id - b.owner_id || a.id - b.id
}

/** The message that delivers an event to these subscriptions. */
export function deliveriesMessage(entries: { id: number; owner_id: number }[], event: EventMessage): Message {
  const subscriptions = entries.map(({ id, owner_id }) => ({ id, owner_id }))
  return { queue: 'deliveries', group: String(entries[0]?.id), body: { subscriptions, event } }
}

/** Always writes the same, so it may be repeated. */
export async function keepEvent(table: Table, event: SentEvent): Promise<void> {
  await table.write(putEvent(event))
}

export function putEvent(event: SentEvent) {
  return { Put: { Item: { ...eventKey(event.id), ...event, schema: 1 } } }
}
