// The schemas of tickets and replies: inputs, and the views for users and admins.
import * as z from 'zod/mini'
import { named } from '../http/named.ts'
import { requiredLine, requiredText } from '../http/text.ts'
import { Time } from '../http/time.ts'

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const
export const STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const

function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `Must be one of ${words.join(', ')}.`)
}

export const Priority = oneOf(PRIORITIES)
export const Status = oneOf(STATUSES)
export type Status = z.infer<typeof Status>

export const TicketInput = z.object({
  subject: requiredLine(255),
  description: requiredText(10_000),
  priority: z._default(Priority, 'medium'),
})
export type TicketInput = z.output<typeof TicketInput>

export const TicketChange = z.object({ status: z.optional(Status), priority: z.optional(Priority) })
export type TicketChange = z.output<typeof TicketChange>

export const ReplyInput = z.object({ body: requiredText(10_000) })

export const ReplyView = named(
  'TicketReply',
  z.object({
    id: z.int(),
    author: z.object({ name: z.string() }),
    body: z.string(),
    is_staff: z.boolean(),
    created_at: Time,
  }),
)
export type ReplyView = z.infer<typeof ReplyView>

/** A ticket in a list, without its replies. */
export const TicketListItem = named(
  'TicketListItem',
  z.object({
    id: z.int(),
    subject: z.string(),
    description: z.string(),
    priority: z.enum(PRIORITIES),
    status: z.enum(STATUSES),
    created_at: Time,
    updated_at: Time,
  }),
)
export type TicketListItem = z.infer<typeof TicketListItem>

const withReplies = { replies: z.array(ReplyView) }
const withUser = { user: z.object({ id: z.int(), name: z.string(), email: z.string() }) }

export const TicketView = named('Ticket', z.extend(TicketListItem, withReplies))
export type TicketView = z.infer<typeof TicketView>

export const AdminTicketListItem = named('AdminTicketListItem', z.extend(TicketListItem, withUser))
export type AdminTicketListItem = z.infer<typeof AdminTicketListItem>
export const AdminTicketView = named('AdminTicket', z.extend(TicketView, withUser))
export type AdminTicketView = z.infer<typeof AdminTicketView>
