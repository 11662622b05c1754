// The endpoints of support tickets, for users and for admins.
import * as z from 'zod/mini'
import { endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
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

const byId = z.object({ id: Id })
const forUsers = { audience: 'user', ability: 'tickets:write' } as const

export const tickets = group(() => ({
  listTickets: endpoint({
    ...forUsers,
    method: 'GET',
    path: '/api/v1/me/tickets',
    summary: "List the caller's tickets, newest first",
    message: 'Tickets.',
    query: pageQuery(),
    data: z.array(TicketListItem),
    isPaginated: true,
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
  }),
  getTicket: endpoint({
    ...forUsers,
    method: 'GET',
    path: '/api/v1/me/tickets/{id}',
    summary: "Get one of the caller's tickets",
    message: 'Ticket.',
    params: byId,
    data: TicketView,
  }),
  replyToTicket: endpoint({
    ...forUsers,
    method: 'POST',
    path: '/api/v1/me/tickets/{id}/replies',
    summary: "Reply to one of the caller's tickets",
    message: 'Reply added.',
    params: byId,
    body: ReplyInput,
    data: ReplyView,
    status: 201,
    emits: ['ticket.replied'],
  }),
  reopenTicket: endpoint({
    ...forUsers,
    method: 'POST',
    path: '/api/v1/me/tickets/{id}/reopen',
    summary: "Reopen one of the caller's tickets",
    message: 'Ticket reopened.',
    params: byId,
    data: TicketView,
    faults: ['VALIDATION_ERROR'],
    emits: ['ticket.status-changed'],
  }),
}))

export const adminTickets = group(() => ({
  listTickets: endpoint({
    method: 'GET',
    path: '/api/v1/admin/tickets',
    audience: 'admin',
    summary: 'List tickets, newest first',
    message: 'Tickets.',
    query: z.extend(pageQuery(), { status: z.optional(Status) }),
    data: z.array(AdminTicketListItem),
    isPaginated: true,
  }),
  getTicket: endpoint({
    method: 'GET',
    path: '/api/v1/admin/tickets/{id}',
    audience: 'admin',
    summary: 'Get a ticket',
    message: 'Ticket.',
    params: byId,
    data: AdminTicketView,
  }),
  replyToTicket: endpoint({
    method: 'POST',
    path: '/api/v1/admin/tickets/{id}/replies',
    audience: 'admin',
    summary: 'Reply to a ticket as staff',
    message: 'Reply added.',
    params: byId,
    body: ReplyInput,
    data: ReplyView,
    status: 201,
    emits: ['ticket.replied', 'ticket.status-changed'],
  }),
  changeTicket: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/tickets/{id}',
    audience: 'admin',
    summary: 'Change the status or priority of a ticket',
    message: 'Ticket updated.',
    params: byId,
    body: TicketChange,
    data: AdminTicketView,
    emits: ['ticket.status-changed'],
  }),
}))
