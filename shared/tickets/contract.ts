// The endpoints of support tickets, for users and for admins, and the schemas of what they take and show.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { byId, pageParameters } from '../http/parameters.ts'
import { requiredLine, requiredText } from '../http/text.ts'
import { Time } from '../http/time.ts'

function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `Must be one of ${words.join(', ')}.`)
}

export const Priority = oneOf(['low', 'medium', 'high', 'urgent'])
export const Status = oneOf(['open', 'in_progress', 'resolved', 'closed'])
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
    id: [z.int(), 'Numeric id.'],
    author: [ReplyAuthor, 'Who wrote it.'],
    body: [z.string(), 'Plain text as it was written.'],
    is_staff: [z.boolean(), 'True for a reply of an admin, false for one of the user.'],
    created_at: [Time, 'When it was written, in UTC.'],
  }),
)
export type ReplyView = z.infer<typeof ReplyView>

const SHOWN = {
  id: [z.int(), 'Numeric id.'],
  subject: [z.string(), 'Subject, one line of plain text.'],
  description: [z.string(), 'What it is about: plain text as it was written.'],
  priority: [Priority, PRIORITY_TEXT],
  status: [Status, STATUS_TEXT],
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
export const TicketListItem = named('TicketListItem', members(SHOWN))
export type TicketListItem = z.infer<typeof TicketListItem>
export const TicketView = named('Ticket', members({ ...SHOWN, ...WITH_REPLIES }))
export type TicketView = z.infer<typeof TicketView>

export const AdminTicketListItem = named('AdminTicketListItem', members({ ...SHOWN, ...WITH_USER }))
export type AdminTicketListItem = z.infer<typeof AdminTicketListItem>
export const AdminTicketView = named('AdminTicket', members({ ...SHOWN, ...WITH_REPLIES, ...WITH_USER }))
export type AdminTicketView = z.infer<typeof AdminTicketView>

const ofTicket = byId('ticket')

const WRITTEN = { subject: 'It does not open', description: 'I tried twice.' }
const LISTED = {
  id: 1,
  ...WRITTEN,
  priority: 'medium' as const,
  status: 'in_progress' as const,
  created_at: '2026-05-26T15:00:00+00:00',
  updated_at: '2026-05-26T15:20:00+00:00',
}
const REPLY = {
  id: 1,
  author: { name: 'Grace' },
  body: 'Please try again.',
  is_staff: true,
  created_at: '2026-05-26T15:20:00+00:00',
}
const TICKET = { ...LISTED, replies: [REPLY] }
const USER = { user: { id: 2, name: 'Ada', email: 'ada@example.com' } }

const CLOSED = 'A closed ticket takes none: it is a 422 on `status` until the ticket is reopened.'
const FULL = `A ticket holds as many replies as fit in one answer, about 2,700 short ones: then it is a 422 on \`replies\`. Open a
  new ticket.`

export const tickets = group(
  { user: "The caller's support tickets. Needs the ability `tickets:write`." },
  () => ({
    listTickets: endpoint({
      ability: 'tickets:write',
      method: 'GET',
      path: '/api/v1/me/tickets',
      summary: "List the caller's tickets, newest first",
      description: 'Without their replies.',
      message: 'Tickets.',
      query: members(pageParameters()),
      data: z.array(TicketListItem),
      example: { data: [LISTED] },
    }),
    createTicket: endpoint({
      ability: 'tickets:write',
      method: 'POST',
      path: '/api/v1/me/tickets',
      summary: 'Open a ticket',
      message: 'Ticket created.',
      body: TicketInput,
      data: TicketView,
      status: 201,
      emits: ['ticket.created'],
      example: { body: WRITTEN, data: { ...LISTED, status: 'open', replies: [] } },
    }),
    getTicket: endpoint({
      ability: 'tickets:write',
      method: 'GET',
      path: '/api/v1/me/tickets/{id}',
      summary: "Get one of the caller's tickets",
      description: 'With its replies.',
      message: 'Ticket.',
      params: ofTicket,
      data: TicketView,
      example: { params: { id: 1 }, data: TICKET },
    }),
    replyToTicket: endpoint({
      ability: 'tickets:write',
      method: 'POST',
      path: '/api/v1/me/tickets/{id}/replies',
      summary: "Reply to one of the caller's tickets",
      description: `The status stays as it is. ${CLOSED} ${FULL}`,
      message: 'Reply added.',
      params: ofTicket,
      body: ReplyInput,
      data: ReplyView,
      status: 201,
      emits: ['ticket.replied'],
      example: {
        params: { id: 1 },
        body: { body: 'It works now.' },
        data: { ...REPLY, id: 2, author: { name: 'Ada' }, body: 'It works now.', is_staff: false },
      },
    }),
    reopenTicket: endpoint({
      ability: 'tickets:write',
      method: 'POST',
      path: '/api/v1/me/tickets/{id}/reopen',
      summary: "Reopen one of the caller's tickets",
      description:
        'Makes a `resolved` or `closed` ticket `open`. With any other status it is a 422 on `status`.',
      message: 'Ticket reopened.',
      params: ofTicket,
      data: TicketView,
      faults: ['VALIDATION_ERROR'],
      emits: ['ticket.status-changed'],
      example: { params: { id: 1 }, data: { ...TICKET, status: 'open' } },
    }),
  }),
)

export const adminTickets = group({ admin: 'Answer support tickets. Needs the ability `admin`.' }, () => ({
  listTickets: endpoint({
    method: 'GET',
    path: '/api/v1/admin/tickets',
    summary: 'List tickets, newest first',
    description: 'All tickets, or those of one status, without their replies.',
    message: 'Tickets.',
    query: members({
      ...pageParameters(),
      status: [z.optional(Status), 'Only tickets of this status. By default all.', 'open'],
    }),
    data: z.array(AdminTicketListItem),
    example: { data: [{ ...LISTED, ...USER }] },
  }),
  getTicket: endpoint({
    method: 'GET',
    path: '/api/v1/admin/tickets/{id}',
    summary: 'Get a ticket',
    description: 'With its replies.',
    message: 'Ticket.',
    params: ofTicket,
    data: AdminTicketView,
    example: { params: { id: 1 }, data: { ...TICKET, ...USER } },
  }),
  replyToTicket: endpoint({
    method: 'POST',
    path: '/api/v1/admin/tickets/{id}/replies',
    summary: 'Reply to a ticket as staff',
    description: `An \`open\` ticket becomes \`in_progress\`. ${CLOSED} ${FULL}`,
    message: 'Reply added.',
    params: ofTicket,
    body: ReplyInput,
    data: ReplyView,
    status: 201,
    emits: ['ticket.replied', 'ticket.status-changed'],
    example: { params: { id: 1 }, body: { body: 'Please try again.' }, data: REPLY },
  }),
  changeTicket: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/tickets/{id}',
    summary: 'Change the status or priority of a ticket',
    description: 'Members that are left out keep their values. The event fires only if the status changes.',
    message: 'Ticket updated.',
    params: ofTicket,
    body: TicketChange,
    data: AdminTicketView,
    emits: ['ticket.status-changed'],
    example: {
      params: { id: 1 },
      body: { status: 'resolved' },
      data: { ...TICKET, ...USER, status: 'resolved' },
    },
  }),
}))
