// How tickets are read: the record with its replies in one partition, and the lists it stands in.
import { notFound } from '../http/errors.ts'
import type { Table } from '../table/client.ts'
import { type List, listPage } from '../table/counted-list.ts'
import { replyPrefix, ticketKey } from '../table/design.ts'
import { Ticket, TicketEntry, TicketReply } from './ticket.ts'

/** A ticket, and whose it must be: another's is not found, like one that never was. */
export type Named = { id: number; userId?: number }

/** Throws NOT_FOUND. */
export const getTicket = async (table: Table, { id, userId }: Named): Promise<Ticket> => {
  const ticket = await table.find(ticketKey(id), Ticket)
  if (!ticket || (userId !== undefined && ticket.user_id !== userId)) throw notFound('Ticket')
  return ticket
}

/** In the order of writing. */
export const listReplies = (table: Table, ticketId: number): Promise<TicketReply[]> =>
  table.query({ pk: ticketKey(ticketId).pk, beginsWith: replyPrefix }, TicketReply)

const nothingHidden = Promise.resolve<string[]>([])

type Page = { page: number; per_page: number }

/** A page of `ticketList` or `ticketsOfUser`. */
export const listTickets = (table: Table, list: List, { page, per_page: perPage }: Page) =>
  listPage(table, { list, page, perPage, hidden: nothingHidden }, TicketEntry)
