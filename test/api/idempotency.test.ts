// Idempotency-Key: the same request twice acts once and is answered twice.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { idempotencyKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import type { CallOptions } from '../world/call.ts'
import { noise } from '../world/noise.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { openWorld, type World } from '../world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

function create(key: string, body: unknown, token = world.admin) {
  return world.call(adminPosts.createPost, { token, body, headers: { 'Idempotency-Key': key } })
}

async function total() {
  return (await world.call(adminPosts.listPosts, { token: world.admin })).pagination.total
}

describe('POST /api/v1/admin/posts with an Idempotency-Key', () => {
  it('gives the first answer again, to the letter, and makes nothing', async () => {
    const key = randomUUID()
    const body = { title: 'Once', is_published: true, body: '<p>é 🚀</p>' }
    const first = await create(key, body)
    const before = await total()
    const again = await create(key, body)

    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(first.headers.get('Idempotent-Replayed')).toBeNull()
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect(await total()).toBe(before)
  })

  it('gives an answer again that is too large for one item', async () => {
    const key = randomUUID()
    const body = { title: 'Large', body: noise(800_000) }
    const first = await create(key, body)
    expect((await create(key, body)).text).toBe(first.text)
  })

  it('409s when the key was used for another body or another path', async () => {
    const key = randomUUID()
    const { data } = await create(key, { title: 'A' })
    expect((await create(key, { title: 'B' })).code).toBe('IDEMPOTENCY_CONFLICT')
    const elsewhere = await world.call(adminPosts.publishPost, {
      token: world.admin,
      params: { id: data.id },
      headers: { 'Idempotency-Key': key },
    })
    expect(elsewhere.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  it('makes one of twenty at once; the others get that answer or are told that it still runs', async () => {
    const key = randomUUID()
    const before = await total()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key, { title: 'Race' })))
    const made = answers.filter(({ status }) => status === 201)
    const running = answers.filter(({ status }) => status === 409)
    expect(made.length + running.length).toBe(20)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const { headers } of running) expect(headers.get('Retry-After')).toBe('1')
    expect(await total()).toBe(before + 1)
  })

  it('is free again after a request that failed, and belongs to its user alone', async () => {
    const key = randomUUID()
    const { slug } = await world.given.post()
    expect((await create(key, { title: 'A', slug })).code).toBe('VALIDATION_ERROR')
    expect((await create(key, {})).code).toBe('VALIDATION_ERROR')
    expect((await create(key, { title: 'A' })).status).toBe(201)
    const other = await world.given.user({ abilities: ['admin'] })
    expect((await create(key, { title: 'Mine' }, other.token)).status).toBe(201)
  })

  it('takes over from a function that died before it committed', async () => {
    const key = randomUUID()
    const dead = {
      request_hash: 'other',
      nonce: randomUUID(),
      lease_until_ms: Date.now() - 1,
      expires: 9_999_999_999,
    }
    await world.table.write({ Put: { Item: { ...idempotencyKey(1, key), ...dead } } })
    expect((await create(key, { title: 'After the crash' })).status).toBe(201)
  })

  it('422s for a key that is empty or longer than 255', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      expect(Object.keys((await create(key, { title: 'A' })).fields ?? {})).toEqual(['Idempotency-Key'])
    }
  })
})

describe('every other admin POST with an Idempotency-Key', () => {
  it('makes a category once, publishes once, subscribes once with the same secret, pings once', async () => {
    const subscriber = await openSubscriber()
    const headers = () => ({ 'Idempotency-Key': randomUUID() })
    const { id } = await world.given.post()
    const asks: [Endpoint, CallOptions][] = [
      [adminCategories.createCategory, { body: { name: 'Once' } }],
      [adminPosts.publishPost, { params: { id } }],
      [adminWebhooks.createWebhook, { body: { name: 'Once', url: subscriber.url, events: ['test.ping'] } }],
    ]
    for (const [endpoint, ask] of asks) {
      const asked = { token: world.admin, headers: headers(), ...ask }
      const first = await world.call(endpoint, asked)
      const again = await world.call(endpoint, asked)
      expect([again.status, again.text, again.headers.get('Idempotent-Replayed')]).toEqual([
        first.status,
        first.text,
        'true',
      ])
    }

    const webhook = await world.given.webhook(subscriber.url, { events: ['test.ping'] })
    const ping = { params: { id: webhook.id }, token: world.admin, headers: headers() }
    const first = await world.call(adminWebhooks.testWebhook, ping)
    expect((await world.call(adminWebhooks.testWebhook, ping)).text).toBe(first.text)
    expect(subscriber.events()).toEqual(['test.ping'])
  })
})
