// Sends an event to the queue of deliveries, as one message for each subscription that gets it.
import type { EventMessage } from '../../events/message.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import { listFanOutEntries } from '../store/webhooks.ts'
import { shouldDeliver } from '../webhook.ts'

/**
 * Throws if the queue rejects a message. All are then sent again, and the claims drop duplicates. The group
 * makes the queue fair: a subscription with a long backlog delays the others less.
 */
export async function fanOut(
  event: EventMessage,
  { table, sender }: Pick<JobContext, 'table' | 'sender'>,
): Promise<void> {
  const receivers = (await listFanOutEntries(table)).filter(entry => shouldDeliver(entry, event))
  if (receivers.length === 0) return
  const sent = await sender.send(
    receivers.map(({ id, owner_id }) => ({
      queue: 'deliveries',
      group: String(id),
      body: { webhook_id: id, owner_id, event },
    })),
  )
  requireSent(sent, `deliveries of ${event.id}`)
}
