// The record of a ticket: its rules, lists, events and views. No I/O.
import * as z from 'zod/mini'
import { type Author, nameOf, type User } from '../accounts/user.ts'
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import { invalid } from '../http/errors.ts'
import { isoTime } from '../http/time.ts'
import { type List, type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import {
  Priority,
  type ReplyView,
  Status,
  type TicketChange,
  type TicketInput,
  type TicketListItem,
  type TicketView,
} from './contract.ts'

/** Without its description, which never changes. */
export const Ticket = z.object({
  id: z.int(),
  user_id: z.int(),
  subject: z.string(),
  priority: Priority,
  status: Status,
  created_at: z.int(),
  updated_at: z.int(),
  /** The size of all replies in an answer, at most. */
  reply_bytes: z.int(),
  /** Increased by each change; the condition of a write. */
  revision: z.int(),
})
export type Ticket = z.infer<typeof Ticket>

/** The list entry of a ticket: what is needed to read the ticket and its user in parallel. */
export const TicketEntry = z.pick(Ticket, { id: true, user_id: true })
export type TicketEntry = z.infer<typeof TicketEntry>

export const TicketDescription = z.object({ id: z.int(), description: z.string() })
export type WholeTicket = Ticket & z.infer<typeof TicketDescription>

export const TicketReply = z.object({
  id: z.int(),
  author_id: z.int(),
  body: z.string(),
  is_staff: z.boolean(),
  created_at: z.int(),
})
export type TicketReply = z.infer<typeof TicketReply>

/** An answer has all replies and at most 5.9 MB: about 2,700 short ones, or 470 of 10,000 characters. */
const MAX_REPLY_BYTES = 5_700_000
/** A reply without its body, but with the longest name of an author. */
const BYTES_WITHOUT_BODY = 2_000

/** A function returns its answer as JSON within a JSON string. */
function answerBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(text)))
}

type NewTicketFields = { id: number; userId: number; nowSeconds: number }

export function newTicket(
  { subject, priority }: TicketInput,
  { id, userId, nowSeconds }: NewTicketFields,
): Ticket {
  return {
    id,
    user_id: userId,
    subject,
    priority,
    status: 'open',
    created_at: nowSeconds,
    updated_at: nowSeconds,
    reply_bytes: 0,
    revision: 1,
  }
}

/** A reply of the staff sets an open ticket in progress. Throws VALIDATION_ERROR if it takes no reply. */
export function ticketWithReply(ticket: Ticket, { body, is_staff, created_at }: TicketReply): Ticket {
  if (ticket.status === 'closed') {
    throw invalid({ status: ['The ticket is closed. Reopen it first.'] })
  }
  const reply_bytes = ticket.reply_bytes + answerBytes(body) + BYTES_WITHOUT_BODY
  if (reply_bytes > MAX_REPLY_BYTES) {
    throw invalid({ replies: ['The ticket is full. Open a new ticket.'] })
  }
  const status = is_staff && ticket.status === 'open' ? 'in_progress' : ticket.status
  return { ...ticket, status, reply_bytes, updated_at: created_at }
}

/** Throws VALIDATION_ERROR unless the ticket is resolved or closed. */
export function reopenedTicket(ticket: Ticket, nowSeconds: number): Ticket {
  if (ticket.status !== 'resolved' && ticket.status !== 'closed') {
    throw invalid({ status: ['Only a resolved or closed ticket can be reopened.'] })
  }
  return { ...ticket, status: 'open', updated_at: nowSeconds }
}

/** Returns the same object when nothing changes. */
export function changedTicket(ticket: Ticket, change: TicketChange, nowSeconds: number): Ticket {
  const { status = ticket.status, priority = ticket.priority } = change
  const isSame = status === ticket.status && priority === ticket.priority
  return isSame ? ticket : { ...ticket, status, priority, updated_at: nowSeconds }
}

export function ticketList(status?: Status): List {
  return newestFirst(`tickets:${status ?? 'all'}`)
}

export function ticketsOfUser(userId: number): List {
  return newestFirst(`tickets:user:${userId}`)
}

/** Every list of tickets; a function stands for one list per id. The doctor checks these. */
export function listsOfTickets() {
  return [ticketsOfUser, ...[undefined, ...Status.options].map(ticketList)]
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

type Authors = Map<number, Pick<Author, 'name'>>

export function ticketListItem(ticket: WholeTicket): TicketListItem {
  return {
    id: ticket.id,
    subject: ticket.subject,
    description: ticket.description,
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

export function ticketView(ticket: WholeTicket, replies: TicketReply[], authors: Authors): TicketView {
  return { ...ticketListItem(ticket), replies: replies.map(reply => replyView(reply, authors)) }
}

export type TicketUsers = Map<number, User>

export function userOf({ user_id: id }: TicketEntry, users: TicketUsers) {
  const user = users.get(id)
  return { id, name: nameOf(user), email: user?.email ?? '' }
}
