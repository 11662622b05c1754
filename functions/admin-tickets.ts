// Support tickets of all users, for the staff.
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { addReply, changeTicket } from '../shared/tickets/commands.ts'
import { adminTickets } from '../shared/tickets/contract.ts'
import { getTicket, listTicketsWithUsers, ticketWithUser } from '../shared/tickets/store.ts'
import { changedTicket } from '../shared/tickets/ticket.ts'

export const handler = serve(adminTickets, {
  listTickets: async ({ query, table }) => {
    const { items, total } = await listTicketsWithUsers(table, query)
    return paged(items, total, query)
  },

  getTicket: async ({ params, work }) =>
    reply(await ticketWithUser(work.table, await getTicket(work.table, params))),

  replyToTicket: ({ actor, params, body, work }) =>
    addReply(work, params, { author_id: actor.userId, body: body.body, is_staff: true }),

  changeTicket: async ({ params, body, work }) => {
    const ticket = await changeTicket(work, params, before => changedTicket(before, body, work.nowSeconds))
    return reply(await ticketWithUser(work.table, ticket))
  },
})
