// Support tickets of all users, for the staff.
import type { UnitOfWork } from '../shared/events/unit-of-work.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { addReply, changeTicket } from '../shared/tickets/commands.ts'
import { adminTickets } from '../shared/tickets/contract.ts'
import { ticketList } from '../shared/tickets/lists.ts'
import { findTicketUsers, getTicket, listTickets, ticketWithReplies } from '../shared/tickets/store.ts'
import { changedTicket, type Ticket } from '../shared/tickets/ticket.ts'
import { ticketListItem, userOf } from '../shared/tickets/view.ts'

async function show(work: UnitOfWork, ticket: Ticket) {
  const [view, users] = await Promise.all([
    ticketWithReplies(work, ticket),
    findTicketUsers(work.table, [ticket]),
  ])
  return reply({ ...view, user: userOf(ticket, users) })
}

export const handler = serve(adminTickets, {
  listTickets: async ({ query, table }) => {
    const { items, total } = await listTickets(table, ticketList(query.status), query)
    const users = await findTicketUsers(table, items)
    return paged(
      items.map(ticket => ({ ...ticketListItem(ticket), user: userOf(ticket, users) })),
      total,
      query,
    )
  },

  getTicket: async ({ params, work }) => show(work, await getTicket(work.table, params)),

  replyToTicket: ({ actor, params, body, work }) =>
    addReply(work, params, { author_id: actor.userId, body: body.body, is_staff: true }),

  changeTicket: async ({ params, body, work }) =>
    show(work, await changeTicket(work, params, ticket => changedTicket(ticket, body, work.nowSeconds))),
})
