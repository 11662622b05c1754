// Tickets and replies as the API shows them. No I/O.
import { type Author, nameOf } from '../accounts/author.ts'
import type { User } from '../accounts/user.ts'
import { isoTime } from '../http/time.ts'
import type { ReplyView, TicketListItem, TicketView } from './fields.ts'
import type { Ticket, TicketEntry, TicketReply } from './ticket.ts'

export type Authors = Map<number, Pick<Author, 'name'>>

export function ticketListItem(ticket: Ticket, description: string): TicketListItem {
  return {
    id: ticket.id,
    subject: ticket.subject,
    description,
    priority: ticket.priority,
    status: ticket.status,
    created_at: isoTime(ticket.created_at),
    updated_at: isoTime(ticket.updated_at),
  }
}

export function replyView(
  { id, author_id, body, is_staff, created_at }: TicketReply,
  authors: Authors,
): ReplyView {
  return {
    id,
    author: { name: nameOf(authors.get(author_id)) },
    body,
    is_staff,
    created_at: isoTime(created_at),
  }
}

type TicketDetails = { description: string; replies: TicketReply[]; authors: Authors }

export function ticketView(ticket: Ticket, { description, replies, authors }: TicketDetails): TicketView {
  return {
    ...ticketListItem(ticket, description),
    replies: replies.map(reply => replyView(reply, authors)),
  }
}

export type TicketUsers = Map<number, User>

export function userOf({ user_id: id }: TicketEntry, users: TicketUsers) {
  const user = users.get(id)
  return { id, name: nameOf(user), email: user?.email ?? '' }
}
