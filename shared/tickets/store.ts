// How tickets are read: the record with its replies in one partition, and the lists it stands in.
import { findAuthors } from '../accounts/store/authors.ts'
import { User } from '../accounts/user.ts'
import { notFound } from '../http/errors.ts'
import { type List, listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { REPLY_PREFIX, ticketKey, userKey } from '../table/design.ts'
import type { TicketView } from './fields.ts'
import { Ticket, TicketEntry, TicketReply } from './ticket.ts'
import { type TicketUsers, ticketView } from './view.ts'

/** A ticket, and whose it must be: another's is not found, like one that never was. */
export type TicketRef = { id: number; userId?: number }

/** Throws NOT_FOUND. */
export async function getTicket(table: Table, { id, userId }: TicketRef): Promise<Ticket> {
  const ticket = await table.find(ticketKey(id), Ticket)
  if (!ticket || (userId !== undefined && ticket.user_id !== userId)) throw notFound('Ticket')
  return ticket
}

/** In the order of writing. */
export function listReplies(table: Table, ticketId: number): Promise<TicketReply[]> {
  return table.query({ pk: ticketKey(ticketId).pk, beginsWith: REPLY_PREFIX }, TicketReply)
}

const nothingHidden = Promise.resolve<string[]>([])

type ListTicketsQuery = { page: number; per_page: number }

/** A page of `ticketList` or `ticketsOfUser`. */
export function listTickets(table: Table, list: List, { page, per_page: perPage }: ListTicketsQuery) {
  return listPage(table, { list, page, perPage, hidden: nothingHidden }, TicketEntry)
}

export async function ticketWithReplies(
  { table, nowMs }: { table: Table; nowMs: number },
  ticket: TicketEntry,
): Promise<TicketView> {
  const replies = await listReplies(table, ticket.id)
  const authorIds = replies.map(({ author_id }) => author_id)
  return ticketView(ticket, replies, await findAuthors(table, authorIds, nowMs))
}

/** Whose they are, in one read. */
export async function findTicketUsers(table: Table, tickets: TicketEntry[]): Promise<TicketUsers> {
  const ids = new Set(tickets.map(({ user_id }) => user_id))
  const users = (await table.findMany([...ids].map(userKey))).map(item => User.parse(item))
  return new Map(users.map(user => [user.id, user]))
}
