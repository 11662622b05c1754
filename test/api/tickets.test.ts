// Support tickets of users and for admins: created, read, answered, changed and reopened, with their events.
import { describe, expect, it } from 'vitest'
import { isoTime } from '../../shared/http/time.ts'
import { ticketKey } from '../../shared/table/design.ts'
import { Status, tickets } from '../../shared/tickets/contract.ts'
import { ticketWorld } from '../support/ticket-world.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const helpdesk = ticketWorld(world)

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
})

describe('GET /api/v1/me/tickets', () => {
  it('lists the caller’s tickets newest first, without their replies', async () => {
    const [one, other] = [await helpdesk.person(), await helpdesk.person()]
    const created = [await helpdesk.open(one.token), await helpdesk.open(one.token)]
    await helpdesk.open(other.token)
    for (const { id } of created) await helpdesk.reply(one.token, id)
    const { data, text } = await world.call(tickets.listTickets, { token: one.token })
    expect(data.map(({ id }) => id)).toEqual(created.map(({ id }) => id).reverse())
    expect(text).not.toContain('replies')
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
})

const ACTS = {
  'its user replies': (token: string, id: number) => helpdesk.reply(token, id),
  'staff replies': (_: string, id: number) => helpdesk.staff.reply(id),
  'its user reopens it': (token: string, id: number) => helpdesk.reopen(token, id),
}

describe('the status of a ticket', () => {
  it.each<[before: Status, act: keyof typeof ACTS, code: number, after: Status]>([
    ['open', 'its user replies', 201, 'open'],
    ['in_progress', 'its user replies', 201, 'in_progress'],
    ['resolved', 'its user replies', 201, 'resolved'],
    ['closed', 'its user replies', 422, 'closed'],
    ['open', 'staff replies', 201, 'in_progress'],
    ['in_progress', 'staff replies', 201, 'in_progress'],
    ['resolved', 'staff replies', 201, 'resolved'],
    ['closed', 'staff replies', 422, 'closed'],
    ['open', 'its user reopens it', 422, 'open'],
    ['in_progress', 'its user reopens it', 422, 'in_progress'],
    ['resolved', 'its user reopens it', 200, 'open'],
    ['closed', 'its user reopens it', 200, 'open'],
  ])('is %s, and when %s the answer is %i and it is %s, with an event for each change', async (...one) => {
    const [before, act, code, after] = one
    const eventsAbout = await helpdesk.listen()
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    await helpdesk.staff.change(id, { status: before })
    const { status, fields } = await ACTS[act](token, id)
    expect([status, Object.keys(fields ?? {})]).toEqual([code, code === 422 ? ['status'] : []])
    const ticket = await helpdesk.staff.show(id)
    expect([ticket.status, ticket.replies.length]).toEqual([after, code === 201 ? 1 : 0])
    const expected = [
      'ticket.created',
      ...(before === 'open' ? [] : [`open > ${before}`]),
      ...(code === 201 ? ['ticket.replied'] : []),
      ...(after === before ? [] : [`${before} > ${after}`]),
    ]
    expect(eventsOf(await eventsAbout(id, expected.length)).sort()).toEqual(expected.sort())
  })
})

describe('POST /api/v1/me/tickets/{id}/replies', () => {
  it('adds replies under the name of the user, oldest first, and keeps the status', async () => {
    const { token, name } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    const body = ' And\n the window. '
    const { status, data } = await helpdesk.reply(token, id, body)
    const created = { id: expect.any(Number), author: { name }, body, is_staff: false, created_at: TIME }
    expect([status, data]).toEqual([201, created])
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
    const listed = (await helpdesk.staff.list({ status: 'open', per_page: 100 })).data
    expect(listed.find(ticket => ticket.id === id)).toMatchObject(moved)
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

async function aTicket(body: Record<string, unknown> = {}) {
  return helpdesk.open((await helpdesk.person()).token, body)
}

function eventsOf(events: { event: string; data: Record<string, unknown> }[]) {
  return events.map(({ event, data }) =>
    event === 'ticket.status-changed' ? `${data.old_status} > ${data.new_status}` : event,
  )
}

describe('GET /api/v1/admin/tickets', () => {
  it('lists the tickets of all users, newest first, with their users and without replies', async () => {
    const [one, other] = [await helpdesk.person(), await helpdesk.person()]
    const [first, second] = [await helpdesk.open(one.token), await helpdesk.open(other.token)]
    await helpdesk.staff.reply(second.id)
    const { data, text } = await helpdesk.staff.list({ per_page: 2 })
    const userOf = ({ id, name, email }: typeof one) => ({ id, name, email })
    expect(data).toMatchObject([
      { id: second.id, status: 'in_progress', user: userOf(other) },
      { id: first.id, status: 'open', user: userOf(one) },
    ])
    expect(Object.keys(data[0]?.user ?? {})).toEqual(['id', 'name', 'email'])
    expect(text).not.toContain('replies')
  })

  it('filters by status, with each ticket in exactly one list', async () => {
    const totals = async () => {
      const answers = await Promise.all(Status.options.map(status => helpdesk.staff.list({ status })))
      return answers.map(({ pagination }) => pagination.total)
    }
    const before = await totals()
    const { id } = await aTicket()
    for (const [n, status] of Status.options.entries()) {
      expect((await helpdesk.staff.change(id, { status })).data.status).toBe(status)
      const listed = (await helpdesk.staff.list({ status })).data
      expect(listed.find(ticket => ticket.id === id)).toMatchObject({ status })
      expect(await totals()).toEqual(before.map((total, m) => (m === n ? total + 1 : total)))
    }
    expect((await helpdesk.staff.list({ status: 'done' })).fields).toHaveProperty('status')
  })
})

describe('a page of tickets', () => {
  it('leaves out one that is deleted, or gets another status, while the page is being read', async () => {
    const { id } = await aTicket()
    const isListed = async (query: Record<string, string>) =>
      (await helpdesk.staff.list({ ...query, per_page: 100 })).data.some(ticket => ticket.id === id)
    const [Item = ticketKey(id)] = await world.table.findMany([ticketKey(id)])
    await world.table.write({ Put: { Item: { ...Item, status: 'closed' } } })
    expect([await isListed({ status: 'open' }), await isListed({})]).toEqual([false, true])
    await world.table.removeMany([ticketKey(id)])
    expect([await isListed({ status: 'open' }), await isListed({})]).toEqual([false, false])
    await world.table.write({ Put: { Item } })
    expect([await isListed({ status: 'open' }), await isListed({})]).toEqual([true, true])
  })
})

describe('POST /api/v1/admin/tickets/{id}/replies', () => {
  it('adds a reply of staff, whose event does not have its text', async () => {
    const eventsAbout = await helpdesk.listen()
    const { id } = await aTicket()
    const { status, data } = await helpdesk.staff.reply(id)
    const reply = { author: { name: 'Owner' }, body: 'We look into it.', is_staff: true }
    expect([status, data]).toMatchObject([201, reply])
    const events = await eventsAbout(id, 3)
    const payloadOf = (name: string) => events.find(({ event }) => event === name)?.data
    expect(payloadOf('ticket.created')).toMatchObject({
      url: `${world.baseUrl}/support/tickets/${id}`,
      subject: 'It does not open',
      priority: 'medium',
      status: 'open',
      user_id: expect.any(Number),
    })
    const replied = { id, reply_id: data.id, status: 'in_progress', is_staff: true }
    expect(payloadOf('ticket.replied')).toMatchObject(replied)
    expect(JSON.stringify(payloadOf('ticket.replied'))).not.toContain(data.body)
  })
})

describe('PATCH /api/v1/admin/tickets/{id}', () => {
  it('sets status and priority, returns the ticket, and fires an event for the status only', async () => {
    const eventsAbout = await helpdesk.listen()
    const ticket = await aTicket()
    const { id } = ticket
    const urgent = { ...ticket, priority: 'urgent', updated_at: expect.any(String) }
    expect((await helpdesk.staff.change(id, { priority: 'urgent' })).data).toMatchObject(urgent)
    const both = await helpdesk.staff.change(id, { status: 'closed', priority: 'low' })
    expect(both.data).toEqual(await helpdesk.staff.show(id))
    expect(both.data).toMatchObject({ status: 'closed', priority: 'low' })
    const events = await eventsAbout(id, 2)
    expect(eventsOf(events).sort()).toEqual(['open > closed', 'ticket.created'])
    const change = events.find(({ event }) => event === 'ticket.status-changed')
    expect(change?.data).toMatchObject({ status: 'closed', priority: 'low' })
  })

  it('writes and fires nothing when nothing changes', async () => {
    const eventsAbout = await helpdesk.listen()
    const user = await helpdesk.person()
    const { id } = await helpdesk.oldTicket(user.id)
    const before = await helpdesk.staff.show(id)
    for (const body of [{}, { status: 'open' }, { priority: 'low', status: 'open' }, { subject: 'New' }]) {
      expect((await helpdesk.staff.change(id, body)).data).toEqual(before)
    }
    expect(await helpdesk.staff.show(id)).toEqual(before)
    const moved = (await helpdesk.staff.change(id, { priority: 'high' })).data
    expect(moved.updated_at > before.updated_at).toBe(true)
    expect(await eventsAbout(id, 0)).toEqual([])
  })
})

describe('concurrent replies and changes of a ticket', () => {
  it('are all stored, and each change of the status fires one event', async () => {
    const eventsAbout = await helpdesk.listen()
    const { token } = await helpdesk.person()
    const { id } = await helpdesk.open(token)
    const four = Array.from({ length: 4 }, (_, n) => `Reply ${n}`)
    const answers = await Promise.all([
      ...four.map(body => helpdesk.reply(token, id, body)),
      ...four.map(body => helpdesk.staff.reply(id, body)),
      ...four.map(() => helpdesk.staff.change(id, { priority: 'urgent' })),
    ])
    const later = await Promise.all([
      ...four.map(body => helpdesk.reply(token, id, body)),
      ...four.map(() => helpdesk.staff.change(id, { status: 'resolved' })),
    ])
    expect([...answers, ...later].filter(({ status }) => status >= 300)).toEqual([])

    const ticket = await helpdesk.staff.show(id)
    expect(ticket).toMatchObject({ status: 'resolved', priority: 'urgent' })
    const ids = ticket.replies.map(reply => reply.id)
    expect([ids.length, ids]).toEqual([12, ids.toSorted((a, b) => a - b)])
    const replied = Array(12).fill('ticket.replied')
    const expected = ['ticket.created', ...replied, 'open > in_progress', 'in_progress > resolved']
    expect(eventsOf(await eventsAbout(id, 15)).sort()).toEqual(expected.sort())
  })
})
