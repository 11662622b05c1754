// The lists of tickets: all, by status, and by user, each newest first. No I/O.
import { type List, type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import { STATUSES, type Status } from './fields.ts'
import { type Ticket, TicketEntry } from './ticket.ts'

export function ticketList(status?: Status): List {
  return newestFirst(`tickets:${status ?? 'all'}`)
}

export function ticketsOfUser(userId: number): List {
  return newestFirst(`tickets:user:${userId}`)
}

/** Every list of tickets; a function stands for one list per id. The doctor checks these. */
export function listsOfTickets() {
  return [ticketsOfUser, ...[undefined, ...STATUSES].map(ticketList)]
}

/** Entries only refer to the ticket: its description is too long for a list, and each reply changes it. */
export function listEntriesOf(ticket: Ticket): ListEntry[] {
  const order = timeOrder(ticket.created_at, ticket.id)
  const item = TicketEntry.parse(ticket)
  return [ticketList(), ticketList(ticket.status), ticketsOfUser(ticket.user_id)].map(list => ({
    list,
    order,
    item,
  }))
}
