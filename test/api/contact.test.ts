// The contact form: submitting a message, the list of admins, and the event.
import { describe, expect, it } from 'vitest'
import { adminContact, contact } from '../../shared/contact/contract.ts'
import { submissionKey } from '../../shared/table/design.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const { submitContact } = contact
const { listSubmissions, deleteSubmission } = adminContact
const INPUT = { name: 'Ada', email: 'Ada@Example.com', subject: 'Hello', message: 'A question.' }
function send(body: Record<string, unknown> = {}) {
  return world.call(submitContact, { body: { ...INPUT, ...body } })
}

function list(query = {}) {
  return world.call(listSubmissions, { token: world.admin, query })
}

function remove(id: number) {
  return world.call(deleteSubmission, { token: world.admin, params: { id } })
}

async function total() {
  return (await list()).pagination.total
}

describe('POST /api/v1/contact', () => {
  it('stores the message unchanged and the lines trimmed, and returns what it stores', async () => {
    const message = ' Dear all,\r\n\n  <b>why</b>? 🚀\n'
    const { status, data } = await send({ name: ' Ada\t', email: ' Ada@Example.com ', message })
    expect([status, data]).toEqual([
      201,
      {
        id: expect.any(Number),
        ...INPUT,
        message,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      },
    ])
    expect((await list()).data[0]).toEqual(data)
  })

  it.each([undefined, null, '', '  '])('stores null as the subject for %j', async subject => {
    expect((await send({ subject })).data.subject).toBeNull()
  })

  it('fires contact.submitted once, without the message', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['contact.submitted'] })
    await send({ name: '' })
    const { data } = await send({ subject: '' })
    await remove(data.id)
    const last = await send()
    await subscriber.waitFor(2)
    const { id, name, email } = data
    const payloads = subscriber.received.map(({ data }) => data).sort((a, b) => Number(a.id) - Number(b.id))
    expect(payloads).toEqual([
      { id, url: world.baseUrl, name, email, subject: null },
      { id: last.data.id, url: world.baseUrl, name, email, subject: 'Hello' },
    ])
  })
})

describe('GET and DELETE /api/v1/admin/contact', () => {
  it('lists submissions newest first, and counts concurrent ones', async () => {
    const before = await total()
    const submitted = await Promise.all(Array.from({ length: 30 }, () => send()))
    const { data, pagination } = await list({ per_page: 30 })
    expect(pagination.total).toBe(before + 30)
    expect(data.map(({ id }) => id).sort()).toEqual(submitted.map(answer => answer.data.id).sort())
    const order = data.map(({ created_at, id }) => `${created_at} ${String(id).padStart(9, '0')}`)
    expect(order).toEqual(order.toSorted().reverse())
  })

  it('leaves out a submission that is deleted while the page is being read', async () => {
    const [{ data: kept }, { data: deleted }] = [await send(), await send()]
    const [Item = submissionKey(deleted.id)] = await world.table.findMany([submissionKey(deleted.id)])
    await world.table.removeMany([submissionKey(deleted.id)])
    expect((await list({ per_page: 1 })).data).toEqual([])
    expect((await list({ per_page: 2 })).data).toEqual([kept])
    await world.table.write({ Put: { Item } })
    expect((await list({ per_page: 2 })).data).toEqual([deleted, kept])
  })

  it('deletes a submission permanently, and once for many concurrent requests', async () => {
    const before = await total()
    const { data } = await send()
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(data.id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
    expect(answers.find(({ status }) => status === 200)?.data).toEqual({})
    expect(await total()).toBe(before)
    expect((await list({ per_page: 100 })).data.map(({ id }) => id)).not.toContain(data.id)
  })
})
