// Handlers of support tickets: the caller's own, and those of all users for the staff.
import type { Actor } from '../accounts/token.ts'
import { paged, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { addReply, changeTicket, createTicket } from './commands.ts'
import { adminTickets, tickets } from './contract.ts'
import {
  getTicket,
  listOwnTickets,
  listTicketsWithUsers,
  type TicketRef,
  ticketWithReplies,
  ticketWithUser,
} from './store.ts'
import { changedTicket, reopenedTicket, ticketView } from './ticket.ts'

function own({ id }: { id: number }, { userId }: Actor): TicketRef {
  return { id, userId }
}

export const ticketHandlers = handlersOf(tickets, {
  listTickets: async ({ actor, query, table }) =>
    paged(await listOwnTickets(table, actor.userId, query), query),

  createTicket: async ({ actor, body, work }) =>
    reply(ticketView(await createTicket(work, body, actor.userId), [], new Map())),

  getTicket: async ({ actor, params, work }) =>
    reply(await ticketWithReplies(work.table, await getTicket(work.table, own(params, actor)))),

  replyToTicket: ({ actor, params, body, work }) =>
    addReply(work, own(params, actor), { author_id: actor.userId, body: body.body, is_staff: false }),

  reopenTicket: async ({ actor, params, work }) => {
    const reopen = changeTicket(work, own(params, actor), ticket => reopenedTicket(ticket, work.nowSeconds))
    return reply(await ticketWithReplies(work.table, await reopen))
  },
})

export const adminTicketHandlers = handlersOf(adminTickets, {
  listTickets: async ({ query, table }) => paged(await listTicketsWithUsers(table, query), query),

  getTicket: async ({ params, work }) =>
    reply(await ticketWithUser(work.table, await getTicket(work.table, params))),

  replyToTicket: ({ actor, params, body, work }) =>
    addReply(work, params, { author_id: actor.userId, body: body.body, is_staff: true }),

  changeTicket: async ({ params, body, work }) => {
    const ticket = await changeTicket(work, params, before => changedTicket(before, body, work.nowSeconds))
    return reply(await ticketWithUser(work.table, ticket))
  },
})
