// Tickets for tests: users and staff, an old ticket, a full ticket, and the events of a ticket.
import type { Action } from '../../shared/table/action.ts'
import { replyKey, ticketKey } from '../../shared/table/design.ts'
import { createTicket } from '../../shared/tickets/commands.ts'
import { adminTickets, tickets } from '../../shared/tickets/contract.ts'
import { getTicket } from '../../shared/tickets/store.ts'
import { ticketWithReply } from '../../shared/tickets/ticket.ts'
import { listenTo } from './subscriber.ts'
import { unitOfWorkOn } from './work.ts'
import type { World } from './world.ts'

const TICKET_EVENTS = ['ticket.created', 'ticket.replied', 'ticket.status-changed']

export function ticketWorld(world: World) {
  const person = () => world.create.user({ abilities: ['tickets:write'] })
  const open = async (token: string, body: Record<string, unknown> = {}) => {
    const input = { subject: 'It does not open', description: 'The door.', ...body }
    return (await world.call(tickets.createTicket, { token, body: input })).data
  }
  const reply = (token: string, id: number, body = 'Any news?') =>
    world.call(tickets.replyToTicket, { token, params: { id }, body: { body } })
  const show = (token: string, id: number) => world.call(tickets.getTicket, { token, params: { id } })
  const reopen = (token: string, id: number) => world.call(tickets.reopenTicket, { token, params: { id } })

  const about = (id: number) => ({ token: world.admin, params: { id } })
  const staff = {
    reply: (id: number, body = 'We look into it.') =>
      world.call(adminTickets.replyToTicket, { ...about(id), body: { body } }),
    change: (id: number, body: Record<string, unknown>) =>
      world.call(adminTickets.changeTicket, { ...about(id), body }),
    show: async (id: number) => (await world.call(adminTickets.getTicket, about(id))).data,
    list: (query: Record<string, string | number> = {}) =>
      world.call(adminTickets.listTickets, { token: world.admin, query }),
  }

  /** Creates a ticket as of an hour ago. */
  const oldTicket = (userId: number) => {
    const work = unitOfWorkOn(world.table, Date.now() - 3_600_000)
    return createTicket(work, { subject: 'Old', description: 'Old.', priority: 'low' }, userId)
  }

  /** Adds replies of the owner until the ticket is full, and returns their number. */
  const fill = async (id: number, body: string): Promise<number> => {
    const reply = { author_id: 1, body, is_staff: true, created_at: Math.floor(Date.now() / 1000) }
    let ticket = await getTicket(world.table, { id })
    const puts: Action[] = []
    try {
      for (let n = 1; ; n++) {
        ticket = ticketWithReply(ticket, { id: n, ...reply })
        puts.push({ Put: { Item: { ...replyKey(id, n), id: n, ...reply } } })
      }
    } catch {
      await world.table.transact([{ Put: { Item: { ...ticketKey(id), ...ticket } } }, ...puts])
      return puts.length
    }
  }

  const listen = () => listenTo(world, TICKET_EVENTS, async () => open((await person()).token))

  return { person, open, reply, show, reopen, staff, oldTicket, fill, listen }
}
