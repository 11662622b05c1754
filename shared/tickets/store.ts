// How tickets are read: the record with its replies in one partition, and the lists it stands in.
import { notFound } from '../http/errors.ts'
import { type List, listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { REPLY_PREFIX, ticketKey } from '../table/design.ts'
import { Ticket, TicketEntry, TicketReply } from './ticket.ts'

/** A ticket, and whose it must be: another's is not found, like one that never was. */
export type Named = { id: number; userId?: number }

/** Throws NOT_FOUND. */
export async function getTicket(table: Table, { id, userId }: Named): Promise<Ticket> {
  const ticket = await table.find(ticketKey(id), Ticket)
  if (!ticket || (userId !== undefined && ticket.user_id !== userId)) throw notFound('Ticket')
  return ticket
}

/** In the order of writing. */
export function listReplies(table: Table, ticketId: number): Promise<TicketReply[]> {
  return table.query({ pk: ticketKey(ticketId).pk, beginsWith: REPLY_PREFIX }, TicketReply)
}

const nothingHidden = Promise.resolve<string[]>([])

type Page = { page: number; per_page: number }

/** A page of `ticketList` or `ticketsOfUser`. */
export function listTickets(table: Table, list: List, { page, per_page: perPage }: Page) {
  return listPage(table, { list, page, perPage, hidden: nothingHidden }, TicketEntry)
}
