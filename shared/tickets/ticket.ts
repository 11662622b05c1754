// The rules of tickets: what a reply and a change make of one, and when there may be none. No I/O.
import * as z from 'zod/mini'
import { invalid } from '../http/errors.ts'
import { PRIORITIES, STATUSES, type TicketChange, type TicketInput } from './fields.ts'

export const TicketEntry = z.object({
  id: z.int(),
  user_id: z.int(),
  subject: z.string(),
  description: z.string(),
  priority: z.enum(PRIORITIES),
  status: z.enum(STATUSES),
  created_at: z.int(),
  updated_at: z.int(),
})
/** What its lists show of a ticket. */
export type TicketEntry = z.infer<typeof TicketEntry>

export const Ticket = z.extend(TicketEntry, {
  /** What its replies take of an answer, at most. */
  reply_bytes: z.int(),
  /** Raised by every change of the record, which is conditioned on it. */
  revision: z.int(),
})
export type Ticket = z.infer<typeof Ticket>

export const TicketReply = z.object({
  id: z.int(),
  author_id: z.int(),
  body: z.string(),
  is_staff: z.boolean(),
  created_at: z.int(),
})
export type TicketReply = z.infer<typeof TicketReply>

/** A ticket is read whole, and an answer holds 5.9 MB: about 2,700 short replies, 470 of ten thousand letters. */
const MOST_REPLY_BYTES = 5_700_000
/** All of a reply but its body, with the longest name that its author may ever take. */
const BYTES_WITHOUT_BODY = 2_000

/** In an answer as a function gives it back: JSON in a string of JSON. */
function answerBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(text)))
}

type NewTicketFields = { id: number; userId: number; nowSeconds: number }

export function newTicket(input: TicketInput, { id, userId, nowSeconds }: NewTicketFields): Ticket {
  return {
    id,
    user_id: userId,
    ...input,
    status: 'open',
    created_at: nowSeconds,
    updated_at: nowSeconds,
    reply_bytes: 0,
    revision: 1,
  }
}

/** The ticket after a reply: a first word of the staff takes it on. Throws VALIDATION_ERROR when it takes none. */
export function ticketWithReply(ticket: Ticket, { body, is_staff, created_at }: TicketReply): Ticket {
  if (ticket.status === 'closed') {
    throw invalid({ status: ['The ticket is closed: it must be opened again first.'] })
  }
  const reply_bytes = ticket.reply_bytes + answerBytes(body) + BYTES_WITHOUT_BODY
  if (reply_bytes > MOST_REPLY_BYTES) {
    throw invalid({ replies: ['The ticket holds as many replies as one can: open another.'] })
  }
  const status = is_staff && ticket.status === 'open' ? 'in_progress' : ticket.status
  return { ...ticket, status, reply_bytes, updated_at: created_at }
}

/** Throws VALIDATION_ERROR for a ticket that is not done with. */
export function reopenedTicket(ticket: Ticket, nowSeconds: number): Ticket {
  if (ticket.status !== 'resolved' && ticket.status !== 'closed') {
    throw invalid({ status: ['Only a resolved or closed ticket can be opened again.'] })
  }
  return { ...ticket, status: 'open', updated_at: nowSeconds }
}

/** The very same ticket when nothing is different. */
export function changedTicket(ticket: Ticket, change: TicketChange, nowSeconds: number): Ticket {
  const { status = ticket.status, priority = ticket.priority } = change
  const isSame = status === ticket.status && priority === ticket.priority
  return isSame ? ticket : { ...ticket, status, priority, updated_at: nowSeconds }
}
