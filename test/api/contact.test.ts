// The contact form: submitting a message, its event, and the list of admins.
import { describe, expect, it } from 'vitest'
import { adminContact, contact } from '../../shared/contact/contract.ts'
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
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    expect([status, data]).toEqual([201, { id: expect.any(Number), ...INPUT, message, created_at }])
    expect((await list()).data[0]).toEqual(data)
  })

  it('fires contact.submitted, without the message', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['contact.submitted'] })
    const { name, email, subject, id } = (await send()).data
    const [event] = await subscriber.waitFor(1)
    expect(event?.data).toEqual({ id, url: world.baseUrl, name, email, subject })
  })

  it.each([undefined, null, '', '  '])('stores null as the subject for %j', async subject => {
    expect((await send({ subject })).data.subject).toBeNull()
  })
})

describe('GET and DELETE /api/v1/admin/contact', () => {
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
