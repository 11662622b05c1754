// Reads tickets. A ticket and its replies share a partition.
import { findAuthors } from '../accounts/store/users.ts'
import { User } from '../accounts/user.ts'
import { notFound } from '../http/errors.ts'
import { type List, listPage } from '../lists/counted-list.ts'
import { findById, type Table } from '../table/client.ts'
import { descriptionKey, REPLY_PREFIX, ticketKey, userKey } from '../table/design.ts'
import type { AdminTicketListItem, AdminTicketView, Status, TicketListItem, TicketView } from './contract.ts'
import {
  Ticket,
  TicketDescription,
  TicketEntry,
  TicketReply,
  type TicketUsers,
  ticketList,
  ticketListItem,
  ticketsOfUser,
  ticketView,
  userOf,
  type WholeTicket,
} from './ticket.ts'

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

/** In the order of the entries. Leaves out those that do not exist. */
export async function findTickets(table: Table, entries: { id: number }[]): Promise<WholeTicket[]> {
  const ids = entries.map(({ id }) => id)
  const [tickets, texts] = await Promise.all([
    findById(table, ids.map(ticketKey), Ticket),
    findById(table, ids.map(descriptionKey), TicketDescription),
  ])
  return ids.flatMap(id => {
    const [ticket, text] = [tickets.get(id), texts.get(id)]
    return ticket && text ? [{ ...ticket, ...text }] : []
  })
}

type PageQuery = { page: number; per_page: number }
type Page<Item> = { items: Item[]; total: number }

function readEntries(table: Table, list: List, { page, per_page: perPage }: PageQuery) {
  return listPage(table, { list, page, perPage }, TicketEntry)
}

/** A page of the user's tickets. */
export async function listOwnTickets(
  table: Table,
  userId: number,
  query: PageQuery,
): Promise<Page<TicketListItem>> {
  const { items: entries, total } = await readEntries(table, ticketsOfUser(userId), query)
  return { items: (await findTickets(table, entries)).map(ticketListItem), total }
}

/** A page of tickets with their users, for admins. Leaves out one whose status has just changed. */
export async function listTicketsWithUsers(
  table: Table,
  { status, ...query }: PageQuery & { status?: Status | undefined },
): Promise<Page<AdminTicketListItem>> {
  const { items: entries, total } = await readEntries(table, ticketList(status), query)
  const [tickets, users] = await Promise.all([findTickets(table, entries), findTicketUsers(table, entries)])
  const shown = tickets.filter(ticket => status === undefined || ticket.status === status)
  return { items: shown.map(ticket => ({ ...ticketListItem(ticket), user: userOf(ticket, users) })), total }
}

/** Throws NOT_FOUND if the ticket is deleted while it is being read. */
export async function ticketWithReplies(table: Table, ticket: Ticket): Promise<TicketView> {
  const [text, replies] = await Promise.all([
    table.find(descriptionKey(ticket.id), TicketDescription),
    listReplies(table, ticket.id),
  ])
  if (!text) throw notFound('Ticket')
  const authorIds = replies.map(({ author_id }) => author_id)
  const authors = await findAuthors(table, authorIds)
  return ticketView({ ...ticket, ...text }, replies, authors)
}

/** A ticket with its replies and its user, for admins. */
export async function ticketWithUser(table: Table, ticket: Ticket): Promise<AdminTicketView> {
  const [view, users] = await Promise.all([
    ticketWithReplies(table, ticket),
    findTicketUsers(table, [ticket]),
  ])
  return { ...view, user: userOf(ticket, users) }
}

/** The users of the tickets, in one read. */
function findTicketUsers(table: Table, tickets: TicketEntry[]): Promise<TicketUsers> {
  const ids = new Set(tickets.map(({ user_id }) => user_id))
  return findById(table, [...ids].map(userKey), User)
}
