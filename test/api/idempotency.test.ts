// Idempotency-Key: the same request sent twice acts once and gets the same answer twice.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { idempotencyKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import type { CallOptions } from '../world/call.ts'
import { noise } from '../world/noise.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function create(key: string, body: unknown, token = world.admin) {
  return world.call(adminPosts.createPost, { token, body, headers: { 'Idempotency-Key': key } })
}

async function total() {
  return (await world.call(adminPosts.listPosts, { token: world.admin })).pagination.total
}

describe('POST /api/v1/admin/posts with an Idempotency-Key', () => {
  it('repeats the first answer exactly, and creates nothing', async () => {
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

  it('repeats an answer that is too large for one item', async () => {
    const key = randomUUID()
    const body = { title: 'Large', body: noise(800_000) }
    const first = await create(key, body)
    expect((await create(key, body)).text).toBe(first.text)
  })

  it('returns 409 if the key was used with another body or path', async () => {
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

  it('creates one of twenty concurrent posts, and gives the others its answer or 409 with Retry-After', async () => {
    const key = randomUUID()
    const before = await total()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key, { title: 'Race' })))
    const created = answers.filter(({ status }) => status === 201)
    const running = answers.filter(({ status }) => status === 409)
    expect(created.length + running.length).toBe(20)
    expect(new Set(created.map(({ text }) => text)).size).toBe(1)
    for (const { headers } of running) expect(headers.get('Retry-After')).toBe('1')
    expect(await total()).toBe(before + 1)
  })

  it('frees the key after a failed request, and separates the keys of different users', async () => {
    const key = randomUUID()
    const { slug } = await world.create.post()
    expect((await create(key, { title: 'A', slug })).code).toBe('VALIDATION_ERROR')
    expect((await create(key, {})).code).toBe('VALIDATION_ERROR')
    expect((await create(key, { title: 'A' })).status).toBe(201)
    const other = await world.create.user({ abilities: ['admin'] })
    expect((await create(key, { title: 'Mine' }, other.token)).status).toBe(201)
  })

  it('runs after a first attempt died before its commit', async () => {
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

  it('returns 422 for an empty key and for one of more than 255 characters', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      expect(Object.keys((await create(key, { title: 'A' })).fields ?? {})).toEqual(['Idempotency-Key'])
    }
  })
})

describe('every other admin POST with an Idempotency-Key', () => {
  it('creates a category, publishes, creates a subscription with its secret, and pings only once', async () => {
    const subscriber = await openSubscriber()
    const headers = () => ({ 'Idempotency-Key': randomUUID() })
    const { id } = await world.create.post()
    const requests: [Endpoint, CallOptions][] = [
      [adminCategories.createCategory, { body: { name: 'Once' } }],
      [adminPosts.publishPost, { params: { id } }],
      [adminWebhooks.createWebhook, { body: { name: 'Once', url: subscriber.url, events: ['test.ping'] } }],
    ]
    for (const [endpoint, options] of requests) {
      const request = { token: world.admin, headers: headers(), ...options }
      const first = await world.call(endpoint, request)
      const again = await world.call(endpoint, request)
      expect([again.status, again.text, again.headers.get('Idempotent-Replayed')]).toEqual([
        first.status,
        first.text,
        'true',
      ])
    }

    const webhook = await world.create.webhook(subscriber.url, { events: ['test.ping'] })
    const ping = { params: { id: webhook.id }, token: world.admin, headers: headers() }
    const first = await world.call(adminWebhooks.testWebhook, ping)
    expect((await world.call(adminWebhooks.testWebhook, ping)).text).toBe(first.text)
    expect(subscriber.events()).toEqual(['test.ping'])
  })
})
