// Support tickets for admins: lists by status, replies, changes, and one event for each change.
import { beforeAll, describe, expect, it } from 'vitest'
import { ticketKey } from '../../shared/table/design.ts'
import { STATUSES } from '../../shared/tickets/fields.ts'
import { type TicketWorld, ticketWorld } from '../world/ticket-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let helpdesk: TicketWorld
beforeAll(async () => {
  helpdesk = ticketWorld(world)
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
      const answers = await Promise.all(STATUSES.map(status => helpdesk.staff.list({ status })))
      return answers.map(({ pagination }) => pagination.total)
    }
    const before = await totals()
    const { id } = await aTicket()
    for (const [n, status] of STATUSES.entries()) {
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
  it('sets an open ticket to in_progress and fires both events, and a second reply keeps the status', async () => {
    const eventsAbout = await helpdesk.listen()
    const { id } = await aTicket()
    const { status, data } = await helpdesk.staff.reply(id)
    expect([status, data]).toMatchObject([
      201,
      { author: { name: 'Owner' }, body: 'We look into it.', is_staff: true },
    ])
    await helpdesk.staff.reply(id, 'Done.')
    expect(await helpdesk.staff.show(id)).toMatchObject({
      status: 'in_progress',
      replies: [data, { body: 'Done.' }],
    })
    const events = await eventsAbout(id, 4)
    expect(eventsOf(events).sort()).toEqual([
      'open > in_progress',
      'ticket.created',
      'ticket.replied',
      'ticket.replied',
    ])
    const replied = events.find(({ data: payload }) => payload.reply_id === data.id)
    expect(replied?.data).toMatchObject({ id, status: 'in_progress', is_staff: true })
  })

  it.each(['in_progress', 'resolved'])('keeps the status of a ticket that is %s', async status => {
    const { id } = await aTicket()
    await helpdesk.staff.change(id, { status })
    expect((await helpdesk.staff.reply(id)).status).toBe(201)
    expect((await helpdesk.staff.show(id)).status).toBe(status)
  })

  it('returns 422 for a closed ticket', async () => {
    const { id } = await aTicket()
    await helpdesk.staff.change(id, { status: 'closed' })
    const { status, fields } = await helpdesk.staff.reply(id)
    expect([status, Object.keys(fields ?? {})]).toEqual([422, ['status']])
    expect((await helpdesk.staff.reply(999_999)).code).toBe('NOT_FOUND')
  })
})

describe('PATCH /api/v1/admin/tickets/{id}', () => {
  it('sets status and priority, returns the ticket, and fires an event for the status only', async () => {
    const eventsAbout = await helpdesk.listen()
    const ticket = await aTicket()
    const { id } = ticket
    expect((await helpdesk.staff.change(id, { priority: 'urgent' })).data).toMatchObject({
      ...ticket,
      priority: 'urgent',
      updated_at: expect.any(String),
    })
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
    const six = Array.from({ length: 6 }, (_, n) => `Reply ${n}`)
    const answers = await Promise.all([
      ...six.map(body => helpdesk.reply(token, id, body)),
      ...six.map(body => helpdesk.staff.reply(id, body)),
      ...six.map(() => helpdesk.staff.change(id, { priority: 'urgent' })),
    ])
    answers.push(
      ...(await Promise.all([
        ...six.map(body => helpdesk.reply(token, id, body)),
        ...six.map(() => helpdesk.staff.change(id, { status: 'resolved' })),
      ])),
    )
    expect(answers.filter(({ status }) => status >= 300)).toEqual([])

    const ticket = await helpdesk.staff.show(id)
    expect(ticket).toMatchObject({ status: 'resolved', priority: 'urgent' })
    const ids = ticket.replies.map(reply => reply.id)
    expect([ids.length, ids]).toEqual([18, ids.toSorted((a, b) => a - b)])
    const replied = Array(18).fill('ticket.replied')
    const changes = ['open > in_progress', 'in_progress > resolved']
    expect(eventsOf(await eventsAbout(id, 21)).sort()).toEqual(
      ['ticket.created', ...replied, ...changes].sort(),
    )
  })
})
