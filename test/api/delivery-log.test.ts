// The log of deliveries: it agrees, record by record, with a receiver that records what it gets.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
import { closedPort } from '../webhooks/servers.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { listDeliveries, getDelivery, getWebhook, testWebhook, changeWebhook } = adminWebhooks

function list(id: number, token = world.admin) {
  return world.call(listDeliveries, { token, params: { id } })
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
      list(id, token),
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
