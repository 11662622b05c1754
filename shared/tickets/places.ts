// Where a ticket stands: among all, among those of its status, among those of its user; newest first.
import { type List, newestFirst, type Place } from '../table/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import type { Status } from './fields.ts'
import { type Ticket, TicketEntry } from './ticket.ts'

export const ticketList = (status?: Status): List => newestFirst(`tickets:${status ?? 'all'}`)
export const ticketsOfUser = (userId: number): List => newestFirst(`tickets:user:${userId}`)

export const placesOf = (ticket: Ticket): Place[] => {
  const order = timeOrder(ticket.created_at, ticket.id)
  const item = TicketEntry.parse(ticket)
  return [ticketList(), ticketList(ticket.status), ticketsOfUser(ticket.user_id)].map(list => ({
    list,
    order,
    item,
  }))
}
