// The log of deliveries: it agrees, record by record, with a receiver that records what it gets.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { claim } from '../../shared/webhooks/commands/deliveries.ts'
import { finaliseDelivery } from '../../shared/webhooks/commands/finalise.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { INTERRUPTED } from '../../shared/webhooks/delivery.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
import { closedPort } from '../webhooks/servers.ts'
import { newEvent } from '../webhooks/subscriptions.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { listDeliveries, getDelivery, getWebhook, testWebhook, changeWebhook } = adminWebhooks
type Query = Record<string, string | number>

function list(id: number, query: Query = {}, token = world.admin) {
  return world.call(listDeliveries, { token, params: { id }, query })
}

function show(id: number, delivery_id: string, token = world.admin) {
  return world.call(getDelivery, { token, params: { id, delivery_id } })
}

async function ended(id: number, count: number) {
  return await until(`${count} deliveries to end`, async () => {
    const { data } = await list(id)
    return data.filter(({ status }) => status !== 'sending').length === count && data
  })
}

function headersIn(sent: Record<string, string>) {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
}

describe('GET /api/v1/admin/webhooks/{id}/deliveries', () => {
  it('agrees with what the receiver recorded, for a success and each kind of failure', async () => {
    const recorder = await openRecorder()
    const paths = ['200', '500', '302', 'drop', 'hang']
    const { id } = await world.create.webhook(recorder.url('200'), {
      events: ['post.published', 'post.updated'],
    })
    const urls = [...paths.map(recorder.url), `http://127.0.0.1:${await closedPort()}/`]
    const post = await world.create.livePost()
    await ended(id, 1)
    for (const [n, url] of urls.entries()) {
      await world.call(changeWebhook, { token: world.admin, params: { id }, body: { url } })
      await world.call(adminPosts.changePost, {
        token: world.admin,
        params: { id: post.id },
        body: { title: `Title ${n}` },
        headers: { 'X-Request-Id': `change-${n}` },
      })
      await ended(id, n + 2)
    }
    const log = (await ended(id, urls.length + 1)).toReversed()
    expect(log.map(({ status, error, response_status }) => [status, error, response_status])).toEqual([
      ['succeeded', null, 200],
      ['succeeded', null, 200],
      ['failed', 'status', 500],
      ['failed', 'redirect', 302],
      ['failed', 'connection', null],
      ['failed', 'timeout', null],
      ['failed', 'connection', null],
    ])
    expect(log.map(({ error_detail }) => error_detail?.replace(/ .*/, '') ?? null)).toEqual([
      null,
      null,
      ...['The', 'The', 'The', 'The', 'The'],
    ])
    expect(JSON.stringify(log)).not.toContain('127.0.0.1')
    expect(log.slice(1).map(({ request_id }) => request_id)).toEqual(urls.map((_, n) => `change-${n}`))
    for (const [n, delivery] of log.slice(0, -1).entries()) {
      const { headers, body, path } = recorder.recorded[n] ?? { headers: {}, body: '', path: '' }
      expect(delivery).toMatchObject({
        id: `${headers['webhook-id']}.1`,
        attempt: 1,
        trigger: 'event',
        resource: { type: 'post', id: post.id },
        ...JSON.parse(`{"event":"${n === 0 ? 'post.published' : 'post.updated'}"}`),
      })
      // By the id that the receiver has.
      const shown = (await show(id, String(headers['webhook-id']))).data
      expect(shown).toMatchObject(delivery)
      const { signature, 'webhook-signature': standard, ...sent } = headers
      expect([signature, standard]).toEqual([expect.any(String), expect.any(String)])
      expect(shown.request).toMatchObject({ url: recorder.url(path), body })
      expect(headersIn(shown.request?.headers ?? {})).toEqual(sent)
      if (delivery.response_status === null) {
        expect(shown.response).toBeNull()
      } else {
        expect(shown.response?.headers).toMatchObject(headersIn(FINE))
        expect(shown.response?.body_start).toBe(`answer of ${path}`)
      }
    }
  })

  describe('with 30 deliveries', () => {
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
        const delivery = { webhook_id: id, owner_id: world.owner.id, event_id: event.id }
        await claim(world.table, delivery, event, { nowMs: Date.now(), isIndexed: false })
        const failed = { delivery, outcome: INTERRUPTED, nowMs: Date.now() }
        if (n % 2 === 0) await finaliseDelivery(world.table, failed)
      }
    })

    const secondsIn = (data: { occurred_at: string }[]) =>
      data.map(({ occurred_at }) => Number(occurred_at.slice(17, 19)))
    const down = (from: number) => Array.from({ length: from + 1 }, (_, n) => from - n)

    it('lists them newest first, and walks through them by cursor', async () => {
      const seen: number[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const page = await list(id, { limit: 10, ...(after && { after }) })
        expect(page.data).toHaveLength(10)
        seen.push(...secondsIn(page.data))
        after = page.cursor.next
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
      expect(faults.map(({ status, fields }) => [status, Object.keys(fields ?? {})])).toEqual([
        ...[
          [422, ['after']],
          [422, ['after']],
          [422, ['after']],
        ],
        ...[
          [422, ['status']],
          [422, ['event']],
          [422, ['since']],
        ],
      ])
    })
  })
})

describe('GET /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}', () => {
  it('shows a ping with a long answer: at most 2 kB of headers, and 1,024 bytes of the body', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('long'))
    await world.call(testWebhook, { token: world.admin, params: { id } })
    const [delivery] = (await list(id)).data
    expect(delivery).toMatchObject({ event: 'test.ping', trigger: 'ping', resource: { type: 'webhook', id } })
    const { response } = (await show(id, delivery?.id ?? '')).data
    expect(response?.body_start).toBe(recorder.long.slice(0, 1_024))
    expect(response?.headers).toMatchObject(headersIn(FINE))
  })

  it('returns 404 for a delivery of another subscription or owner, and for none', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    const other = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    await world.call(testWebhook, { token: world.admin, params: { id } })
    const [delivery] = (await list(id)).data
    const { token } = await world.create.user({ abilities: ['admin'] })
    const mine = delivery?.id ?? ''
    expect((await show(id, mine)).status).toBe(200)
    const answers = await Promise.all([
      show(other.id, mine),
      show(id, mine, token),
      list(id, {}, token),
      show(id, mine.replace(/1$/, '2')),
      show(id, 'nonsense'),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
  })
})

describe('GET /api/v1/admin/webhooks/{id}', () => {
  it('shows how the last attempts ended, and when', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    const state = async () => (await world.call(getWebhook, { token: world.admin, params: { id } })).data
    expect(await state()).toMatchObject({
      last_success_at: null,
      last_failure_at: null,
      recent: { succeeded: 0, failed: 0 },
    })
    await world.call(testWebhook, { token: world.admin, params: { id } })
    await world.call(changeWebhook, {
      token: world.admin,
      params: { id },
      body: { url: recorder.url('500') },
    })
    for (let n = 0; n < 2; n++) await world.call(testWebhook, { token: world.admin, params: { id } })
    const log = (await list(id)).data
    expect(await state()).toMatchObject({
      last_success_at: log[2]?.attempted_at,
      last_failure_at: log[0]?.attempted_at,
      recent: { succeeded: 1, failed: 2 },
    })
  })
})
