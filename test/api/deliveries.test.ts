// The log of deliveries: its list, what it agrees with, and the mail about failures.
import { beforeAll, describe, expect, it } from 'vitest'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { finalise } from '../../shared/webhooks/commands/finalise.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { firstAttempt, INTERRUPTED, sentEvent } from '../../shared/webhooks/delivery.ts'
import { useWorld } from '../support/world.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
import { newEvent } from '../webhooks/subscriptions.ts'

const world = useWorld()

const { listDeliveries, getDelivery, testWebhook, changeWebhook, getWebhook } = adminWebhooks

function list(id: number, query: Record<string, string | number> = {}) {
  return world.call(listDeliveries, { token: world.admin, params: { id }, query })
}

function show(id: number, delivery_id: string) {
  return world.call(getDelivery, { token: world.admin, params: { id, delivery_id } })
}

function lowered(headers: Record<string, string> = {}) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

describe('the log of a subscription', () => {
  it('agrees with what the receiver recorded, and with what it answered', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    const asAdmin = { token: world.admin, params: { id } }
    for (const path of ['200', '500']) {
      await world.call(changeWebhook, { ...asAdmin, body: { url: recorder.url(path) } })
      await world.call(testWebhook, { ...asAdmin, headers: { 'X-Request-Id': `ping-${path}` } })
    }
    const log = (await list(id)).data.toReversed()
    const common = { event: 'test.ping', trigger: 'ping', attempt: 1 }
    expect(log).toMatchObject([
      { ...common, status: 'succeeded', error: null, error_detail: null, request_id: 'ping-200' },
      {
        ...common,
        status: 'failed',
        error: 'status',
        error_detail: expect.stringMatching(/500\.$/),
        request_id: 'ping-500',
      },
    ])
    for (const [n, { headers, body, path }] of recorder.recorded.entries()) {
      const { request, response } = (await show(id, log[n]?.id ?? '')).data
      const { signature, 'webhook-signature': standard, ...sent } = headers
      expect([signature, standard]).toEqual([expect.any(String), expect.any(String)])
      expect([request?.url, request?.body]).toEqual([recorder.url(path), body])
      expect(lowered(request?.headers)).toEqual(sent)
      expect(response?.headers).toMatchObject(lowered(FINE))
      expect(response?.body_start).toBe(`answer of ${path}`)
    }
  })
})

describe('GET /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}', () => {
  it('returns 404 for a delivery of another subscription, and for none', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    const other = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    await world.call(testWebhook, { token: world.admin, params: { id } })
    const [delivery] = (await list(id)).data
    const mine = delivery?.id ?? ''
    expect((await show(id, mine)).status).toBe(200)
    const answers = await Promise.all([
      show(other.id, mine),
      show(id, mine.replace(/1$/, '2')),
      show(id, 'nonsense'),
      show(id, 'toString'),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
  })
})

describe('GET /api/v1/admin/webhooks/{id}/deliveries with 30 deliveries', () => {
  let id: number
  const seconds = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  beforeAll(async () => {
    const created = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    id = created.id
    for (let n = 0; n < 30; n++) {
      const event = newEvent({
        happened_ms: Date.parse(seconds(n)),
        event: n % 3 === 0 ? 'post.published' : 'post.deleted',
      })
      const ref = firstAttempt({ id, owner_id: world.owner.id }, event.id)
      const nowMs = Date.now()
      await claim({ table: world.table, nowMs }, ref, { ...sentEvent(event), expires: nowMs })
      if (n % 2 === 0) await finalise(world.table, { ref, outcome: INTERRUPTED, nowMs })
    }
  })

  const secondsIn = (data: { occurred_at: string }[]) =>
    data.map(({ occurred_at }) => Number(occurred_at.slice(17, 19)))
  const down = (from: number) => Array.from({ length: from + 1 }, (_, n) => from - n)

  it('lists them newest first, and walks through them by cursor', async () => {
    const seen: number[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const part = await list(id, { limit: 10, ...(after && { after }) })
      expect(part.data).toHaveLength(10)
      seen.push(...secondsIn(part.data))
      after = part.cursor.next
    }
    expect(seen).toEqual(down(29))
  })

  it('filters by status, event and time, also together and across pages', async () => {
    const failed = await list(id, { status: 'failed' })
    expect(secondsIn(failed.data)).toEqual(down(29).filter(n => n % 2 === 0))
    expect(failed.cursor.next).toBeNull()
    const between = await list(id, { since: seconds(10), until: seconds(20) })
    expect(secondsIn(between.data)).toEqual(down(29).filter(n => n >= 10 && n <= 20))
    const query = { status: 'failed', event: 'post.published', since: seconds(1), limit: 3 }
    const first = await list(id, query)
    expect(secondsIn(first.data)).toEqual([24, 18, 12])
    const second = await list(id, { ...query, after: String(first.cursor.next) })
    expect(secondsIn(second.data)).toEqual([6])
    expect(second.cursor.next).toBeNull()
  })

  it('returns 422 for a cursor of another list or of other filters, and for what does not exist', async () => {
    const { cursor } = await list(id, { limit: 10 })
    const other = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    const faults = await Promise.all([
      list(id, { after: String(cursor.next), status: 'failed' }),
      list(other.id, { after: String(cursor.next) }),
      list(id, { after: 'nonsense' }),
      list(id, { status: 'lost' }),
      list(id, { event: 'post.liked' }),
      list(id, { since: 'soon' }),
    ])
    expect(faults.map(({ status }) => status)).toEqual(faults.map(() => 422))
    const named = faults.map(({ fields }) => Object.keys(fields ?? {}).join())
    expect(named).toEqual(['after', 'after', 'after', 'status', 'event', 'since'])
  })
})

describe('a subscription whose last 20 deliveries failed', () => {
  it('is reported to its owner by a mail, with the last error and how to look it up', async () => {
    const recorder = await openRecorder()
    const { token, email } = await world.create.user({ abilities: ['admin'] })
    const { id } = await world.create.webhook(recorder.url('500'), { events: ['post.published'] }, token)
    for (let n = 0; n < 19; n++) await world.call(testWebhook, { token, params: { id } })
    await world.create.livePost()
    const mail = await world.mailTo(email)
    expect(mail.subject).toBe(`Deliveries to your webhook ${id} fail`)
    expect(mail.text).toContain('The receiver answered 500.')
    expect(mail.text).toContain(`GET /api/v1/admin/webhooks/${id}/deliveries?status=failed`)
    const { recent } = (await world.call(getWebhook, { token, params: { id } })).data
    expect(recent).toEqual({ succeeded: 0, failed: 20 })
  })
})
