// Replies of users to their tickets: what they show, what they change, and when a ticket takes none.
import { beforeAll, describe, expect, it } from 'vitest'
import { isoTime } from '../../shared/http/time.ts'
import { entryKey, timeOrder } from '../../shared/table/design.ts'
import { tickets } from '../../shared/tickets/contract.ts'
import { type TicketWorld, ticketWorld } from '../world/ticket-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let helpdesk: TicketWorld
beforeAll(async () => {
  helpdesk = ticketWorld(world)
})

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

describe('POST /api/v1/me/tickets/{id}/replies', () => {
  it('adds replies under the name of the user, oldest first, and keeps the status', async () => {
    const { token, name } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    const { status, data } = await helpdesk.reply(token, id, ' And\n the window. ')
    expect([status, data]).toEqual([
      201,
      {
        id: expect.any(Number),
        author: { name },
        body: ' And\n the window. ',
        is_staff: false,
        created_at: TIME,
      },
    ])
    const replies = [data]
    for (let n = 0; n < 4; n++) replies.push((await helpdesk.reply(token, id, `Reply ${n}`)).data)
    const ticket = (await helpdesk.show(token, id)).data
    expect(ticket).toMatchObject({ status: 'open', replies })
  })

  it('changes updated_at', async () => {
    const { id: userId, token } = await helpdesk.person()
    const { id, created_at } = await helpdesk.oldTicket(userId)
    const created = { created_at: isoTime(created_at), updated_at: isoTime(created_at) }
    expect((await helpdesk.show(token, id)).data).toMatchObject(created)
    const { data } = await helpdesk.reply(token, id)
    const moved = { created_at: isoTime(created_at), updated_at: data.created_at }
    expect((await helpdesk.show(token, id)).data).toMatchObject(moved)
    expect((await world.call(tickets.listTickets, { token })).data).toMatchObject([moved])
    expect(
      (await helpdesk.staff.list({ status: 'open', per_page: 100 })).data.find(ticket => ticket.id === id),
    ).toMatchObject(moved)
  })

  it('leaves the entries in lists as they were, which only refer to the ticket', async () => {
    const { id: user_id, token } = await helpdesk.person()
    const { id, created_at } = await helpdesk.oldTicket(user_id)
    const keys = ['all', 'open', `user:${user_id}`].map(name =>
      entryKey(`tickets:${name}`, timeOrder(created_at, id)),
    )
    const entries = async () => (await world.table.findMany(keys)).map(({ item }) => item)
    expect(await entries()).toEqual(keys.map(() => ({ id, user_id })))
    await helpdesk.reply(token, id)
    expect(await entries()).toEqual(keys.map(() => ({ id, user_id })))
  })

  it('returns 422 for a closed ticket, but not for a resolved one', async () => {
    const eventsAbout = await helpdesk.listen()
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    await helpdesk.staff.change(id, { status: 'resolved' })
    expect((await helpdesk.reply(token, id)).status).toBe(201)
    await helpdesk.staff.change(id, { status: 'closed' })
    const refused = await helpdesk.reply(token, id)
    expect([refused.status, Object.keys(refused.fields ?? {})]).toEqual([422, ['status']])
    expect((await helpdesk.show(token, id)).data.replies).toHaveLength(1)
    const events = await eventsAbout(id, 4)
    expect(events.map(({ event }) => event).sort()).toEqual([
      'ticket.created',
      'ticket.replied',
      'ticket.status-changed',
      'ticket.status-changed',
    ])
    const replied = events.find(({ event }) => event === 'ticket.replied')
    expect(replied?.data).toMatchObject({ status: 'resolved', reply_id: expect.any(Number), is_staff: false })
    expect(JSON.stringify(replied?.data)).not.toContain('Any news?')
  })

  it('returns 422 for a full ticket, which can still be read', async () => {
    const { token } = await helpdesk.person()
    const widest = '\u0001'.repeat(10_000)
    const { id } = await helpdesk.open(token, { description: widest })
    const count = await helpdesk.fill(id, widest)
    expect(count).toBe(79)
    const refused = await helpdesk.reply(token, id, widest)
    expect([refused.status, Object.keys(refused.fields ?? {})]).toEqual([422, ['replies']])
    expect((await helpdesk.show(token, id)).data.replies).toHaveLength(count)
    expect((await helpdesk.staff.show(id)).replies).toHaveLength(count)
  })
})
