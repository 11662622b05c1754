// Reads tickets. A ticket and its replies share a partition.
import { findAuthors } from '../accounts/store/authors.ts'
import { User } from '../accounts/user.ts'
import { notFound } from '../http/errors.ts'
import { type List, listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { REPLY_PREFIX, ticketKey, userKey } from '../table/design.ts'
import type { AdminTicketListItem, AdminTicketView, TicketView } from './fields.ts'
import { Ticket, TicketEntry, TicketReply } from './ticket.ts'
import { type TicketUsers, ticketListItem, ticketView, userOf } from './view.ts'

/** A ticket by its id and, where given, its user: a ticket of another user is not found. */
export type TicketRef = { id: number; userId?: number }

/** Throws NOT_FOUND. */
export async function getTicket(table: Table, { id, userId }: TicketRef): Promise<Ticket> {
  const ticket = await table.find(ticketKey(id), Ticket)
  if (!ticket || (userId !== undefined && ticket.user_id !== userId)) throw notFound('Ticket')
  return ticket
}

/** Oldest first. */
export function listReplies(table: Table, ticketId: number): Promise<TicketReply[]> {
  return table.query({ pk: ticketKey(ticketId).pk, beginsWith: REPLY_PREFIX }, TicketReply)
}

const NOTHING_HIDDEN = Promise.resolve<string[]>([])

type ListTicketsQuery = { page: number; per_page: number }

/** A page of `ticketList` or `ticketsOfUser`. */
export function listTickets(table: Table, list: List, { page, per_page: perPage }: ListTicketsQuery) {
  return listPage(table, { list, page, perPage, hidden: NOTHING_HIDDEN }, TicketEntry)
}

export async function ticketWithReplies(table: Table, ticket: TicketEntry): Promise<TicketView> {
  const replies = await listReplies(table, ticket.id)
  const authorIds = replies.map(({ author_id }) => author_id)
  return ticketView(ticket, replies, await findAuthors(table, authorIds))
}

/** A page of tickets with their users, for admins. */
export async function listTicketsWithUsers(
  table: Table,
  list: List,
  query: ListTicketsQuery,
): Promise<{ items: AdminTicketListItem[]; total: number }> {
  const { items, total } = await listTickets(table, list, query)
  const users = await findTicketUsers(table, items)
  return { items: items.map(ticket => ({ ...ticketListItem(ticket), user: userOf(ticket, users) })), total }
}

/** A ticket with its replies and its user, for admins. */
export async function ticketWithUser(table: Table, ticket: TicketEntry): Promise<AdminTicketView> {
  const [view, users] = await Promise.all([
    ticketWithReplies(table, ticket),
    findTicketUsers(table, [ticket]),
  ])
  return { ...view, user: userOf(ticket, users) }
}

/** The users of the tickets, in one read. */
async function findTicketUsers(table: Table, tickets: TicketEntry[]): Promise<TicketUsers> {
  const ids = new Set(tickets.map(({ user_id }) => user_id))
  const users = (await table.findMany([...ids].map(userKey))).map(item => User.parse(item))
  return new Map(users.map(user => [user.id, user]))
}
