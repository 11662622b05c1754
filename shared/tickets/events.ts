// The events that a write of a ticket fires: created, replied, status changed. No I/O.
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import type { Ticket, TicketReply } from './ticket.ts'

export type TicketWrite = { before: Ticket | null; after: Ticket; reply?: TicketReply }

export function eventsOf({ before, after, reply }: TicketWrite, siteUrl: string): DomainEvent[] {
  const data = ticketData(after, siteUrl)
  if (!before) return [{ event: 'ticket.created', data }]
  const events: DomainEvent[] = []
  if (reply) {
    events.push({
      event: 'ticket.replied',
      data: { ...data, reply_id: reply.id, is_staff: reply.is_staff },
    })
  }
  if (before.status !== after.status) {
    events.push({
      event: 'ticket.status-changed',
      data: { ...data, old_status: before.status, new_status: after.status },
    })
  }
  return events
}

function ticketData(
  { id, subject, priority, status, user_id }: Ticket,
  siteUrl: string,
): EventData<'ticket.created'> {
  return {
    id,
    url: `${siteUrl}/support/tickets/${id}`,
    subject,
    priority,
    status,
    user_id,
  }
}
