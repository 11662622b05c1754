// Support tickets for their users: created, read, answered and reopened, and hidden from other users.
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

describe('POST /api/v1/me/tickets', () => {
  it('creates a ticket with a trimmed subject, an unchanged description and the priority medium', async () => {
    const { token } = await helpdesk.person()
    const body = { subject: ' Broken\t', description: ' It says:\n\n  "no" 🚪 \n', status: 'closed', id: 7 }
    const { status, data } = await world.call(tickets.createTicket, { token, body })
    expect([status, data]).toEqual([
      201,
      {
        id: expect.any(Number),
        subject: 'Broken',
        description: body.description,
        priority: 'medium',
        status: 'open',
        replies: [],
        created_at: TIME,
        updated_at: data.created_at,
      },
    ])
    expect((await helpdesk.show(token, data.id)).data).toEqual(data)
  })

  it('accepts the longest values, and reports all faults together', async () => {
    const { token } = await helpdesk.person()
    const longest = { subject: '🚀'.repeat(255), description: '🚀'.repeat(10_000), priority: 'urgent' }
    expect(await helpdesk.open(token, longest)).toMatchObject(longest)
    const invalid = { subject: '🚀'.repeat(256), description: '🚀'.repeat(10_001), priority: 'now' }
    for (const body of [invalid, { subject: ' ', description: '', priority: null }]) {
      const { status, fields } = await world.call(tickets.createTicket, { token, body })
      expect([status, Object.keys(fields ?? {})]).toEqual([422, ['subject', 'description', 'priority']])
    }
  })

  it('fires ticket.created once', async () => {
    const eventsAbout = await helpdesk.listen()
    const { id: user_id, token } = await helpdesk.person()
    const { id } = await helpdesk.open(token, { priority: 'high' })
    expect(await eventsAbout(id, 1)).toMatchObject([
      {
        event: 'ticket.created',
        data: {
          id,
          url: `${world.baseUrl}/support/tickets/${id}`,
          subject: 'It does not open',
          priority: 'high',
          status: 'open',
          user_id,
        },
      },
    ])
  })
})

describe('GET /api/v1/me/tickets', () => {
  it('lists the caller’s tickets newest first, in pages, without their replies', async () => {
    const [one, other] = [await helpdesk.person(), await helpdesk.person()]
    const created = []
    for (let n = 0; n < 14; n++) created.push(await helpdesk.open(one.token))
    await helpdesk.open(other.token)
    const list = (query = {}) => world.call(tickets.listTickets, { token: one.token, query })
    await helpdesk.reply(one.token, created[13]?.id ?? 0)
    const { replies: _, ...newest } = (await helpdesk.show(one.token, created[13]?.id ?? 0)).data

    const [first, second] = [await list(), await list({ page: 2 })]
    expect(first.data[0]).toEqual(newest)
    expect(first.text).not.toContain('replies')
    expect(first.pagination).toMatchObject({ total: 14, per_page: 12, last_page: 2 })
    const ids = [...first.data, ...second.data].map(({ id }) => id)
    expect(ids).toEqual(created.map(({ id }) => id).reverse())
  })
})

describe('a ticket of another user', () => {
  it('is not found by any endpoint', async () => {
    const [owner, stranger] = [await helpdesk.person(), await helpdesk.person()]
    const { id } = await helpdesk.open(owner.token)
    await helpdesk.staff.change(id, { status: 'resolved' })
    for (const token of [stranger.token, world.admin]) {
      const answers = [
        await helpdesk.show(token, id),
        await helpdesk.reply(token, id),
        await helpdesk.reopen(token, id),
        await helpdesk.reply(token, 999_999),
      ]
      expect(answers.map(({ code }) => code)).toEqual(Array(4).fill('NOT_FOUND'))
    }
    expect(await helpdesk.staff.show(id)).toMatchObject({ status: 'resolved', replies: [] })
  })

  it('is reported as not found only after the faults of a reply', async () => {
    const { token } = await helpdesk.person()
    expect((await helpdesk.reply(token, 999_999, '')).fields).toEqual({ body: ['Is required.'] })
  })
})

describe('POST /api/v1/me/tickets/{id}/reopen', () => {
  it.each(['resolved', 'closed'] as const)('reopens a %s ticket and fires an event', async status => {
    const eventsAbout = await helpdesk.listen()
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    const { data: reply } = await helpdesk.staff.reply(id)
    await helpdesk.staff.change(id, { status })
    const { status: code, data } = await helpdesk.reopen(token, id)
    expect([code, data]).toMatchObject([200, { id, status: 'open', replies: [reply] }])
    const changes = (await eventsAbout(id, 5)).filter(({ event }) => event === 'ticket.status-changed')
    expect(changes.map(({ data }) => [data.old_status, data.new_status, data.status])).toContainEqual([
      status,
      'open',
      'open',
    ])
    expect(changes).toHaveLength(3)
  })

  it('returns 422 for a ticket that is open or in progress', async () => {
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    for (const status of ['open', 'in_progress']) {
      await helpdesk.staff.change(id, { status })
      const { status: code, fields } = await helpdesk.reopen(token, id)
      expect([code, Object.keys(fields ?? {})]).toEqual([422, ['status']])
      expect((await helpdesk.show(token, id)).data.status).toBe(status)
    }
  })

  it('reopens the ticket once for many concurrent requests', async () => {
    const eventsAbout = await helpdesk.listen()
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    await helpdesk.staff.change(id, { status: 'closed' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => helpdesk.reopen(token, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422])
    expect(await eventsAbout(id, 3)).toHaveLength(3)
  })
})

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
