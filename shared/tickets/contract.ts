// The endpoints of support tickets, for users and for admins.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members } from '../http/members.ts'
import { byId, pageParameters } from '../http/parameters.ts'
import {
  AdminTicketListItem,
  AdminTicketView,
  ReplyInput,
  ReplyView,
  Status,
  TicketChange,
  TicketInput,
  TicketListItem,
  TicketView,
} from './fields.ts'

const ofTicket = byId('ticket')
const forUsers = { audience: 'user', ability: 'tickets:write' } as const

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
      ...forUsers,
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
      ...forUsers,
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
      ...forUsers,
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
      ...forUsers,
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
      ...forUsers,
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
    audience: 'admin',
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
    audience: 'admin',
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
    audience: 'admin',
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
    audience: 'admin',
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
