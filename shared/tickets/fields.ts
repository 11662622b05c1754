// The schemas of tickets and replies: inputs, and the views for users and admins.
import * as z from 'zod/mini'
import { members, named } from '../http/members.ts'
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

const STATUS_TEXT =
  '`open`; `in_progress`, once the staff replied; `resolved`; or `closed`, which takes no replies.'
const PRIORITY_TEXT = '`low`, `medium`, `high` or `urgent`.'

export const TicketInput = members({
  subject: [requiredLine(255), 'One line of 1 to 255 characters.', 'It does not open'],
  description: [requiredText(10_000), 'Plain text of 1 to 10,000 characters.', 'I tried twice.'],
  priority: [z._default(Priority, 'medium'), `${PRIORITY_TEXT} By default \`medium\`.`],
})
export type TicketInput = z.output<typeof TicketInput>

export const TicketChange = members({
  status: [z.optional(Status), STATUS_TEXT],
  priority: [z.optional(Priority), PRIORITY_TEXT],
})
export type TicketChange = z.output<typeof TicketChange>

export const ReplyInput = members({
  body: [requiredText(10_000), 'Plain text of 1 to 10,000 characters.', 'Please try again.'],
})

const ReplyAuthor = members({
  name: [z.string(), 'The author\'s name of today, or "Deleted user" if the account was erased.'],
})
export const ReplyView = named(
  'TicketReply',
  members({
    id: [z.int(), 'Number of the reply within its ticket, from 1.'],
    author: [ReplyAuthor, 'Who wrote it.'],
    body: [z.string(), 'Plain text as it was written.'],
    is_staff: [z.boolean(), 'True for a reply of an admin, false for one of the user.'],
    created_at: [Time, 'When it was written, in UTC.'],
  }),
)
export type ReplyView = z.infer<typeof ReplyView>

const LISTED = {
  id: [z.int(), 'Numeric id.'],
  subject: [z.string(), 'Subject, one line of plain text.'],
  description: [z.string(), 'What it is about: plain text as it was written.'],
  priority: [z.enum(PRIORITIES), PRIORITY_TEXT],
  status: [z.enum(STATUSES), STATUS_TEXT],
  created_at: [Time, 'When it was opened, in UTC.'],
  updated_at: [Time, 'When it last changed or got a reply, in UTC.'],
} as const
const WITH_REPLIES = { replies: [z.array(ReplyView), 'All replies, oldest first.'] } as const
const User = members({
  id: [z.int(), 'Id of the user.'],
  name: [z.string(), 'The user\'s name of today, or "Deleted user" if the account was erased.'],
  email: [z.string(), "The user's e-mail address. Empty if the account was erased."],
})
const WITH_USER = { user: [User, 'The user who opened it.'] } as const

/** A ticket in a list, without its replies. */
export const TicketListItem = named('TicketListItem', members(LISTED))
export type TicketListItem = z.infer<typeof TicketListItem>
export const TicketView = named('Ticket', members({ ...LISTED, ...WITH_REPLIES }))
export type TicketView = z.infer<typeof TicketView>

export const AdminTicketListItem = named('AdminTicketListItem', members({ ...LISTED, ...WITH_USER }))
export type AdminTicketListItem = z.infer<typeof AdminTicketListItem>
export const AdminTicketView = named('AdminTicket', members({ ...LISTED, ...WITH_REPLIES, ...WITH_USER }))
export type AdminTicketView = z.infer<typeof AdminTicketView>
