// The caller's support tickets.
import type { Actor } from '../shared/accounts/actor.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { addReply, changeTicket, createTicket } from '../shared/tickets/commands.ts'
import { tickets } from '../shared/tickets/contract.ts'
import { getTicket, listOwnTickets, type TicketRef, ticketWithReplies } from '../shared/tickets/store.ts'
import { reopenedTicket } from '../shared/tickets/ticket.ts'
import { ticketView } from '../shared/tickets/view.ts'

function own({ id }: { id: number }, { userId }: Actor): TicketRef {
  return { id, userId }
}

export const handler = serve(tickets, {
  listTickets: async ({ actor, query, table }) => {
    const { items, total } = await listOwnTickets(table, actor.userId, query)
    return paged(items, total, query)
  },

  createTicket: async ({ actor, body, work }) => {
    const ticket = await createTicket(work, body, actor.userId)
    return reply(ticketView(ticket, { description: body.description, replies: [], authors: new Map() }))
  },

  getTicket: async ({ actor, params, work }) =>
    reply(await ticketWithReplies(work.table, await getTicket(work.table, own(params, actor)))),

  replyToTicket: ({ actor, params, body, work }) =>
    addReply(work, own(params, actor), { author_id: actor.userId, body: body.body, is_staff: false }),

  reopenTicket: async ({ actor, params, work }) => {
    const reopen = changeTicket(work, own(params, actor), ticket => reopenedTicket(ticket, work.nowSeconds))
    return reply(await ticketWithReplies(work.table, await reopen))
  },
})
