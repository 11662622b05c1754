// Webhook subscriptions of an admin: their secrets, URLs, owners and test pings.
import { brotliDecompressSync } from 'node:zlib'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { idempotencyKey, webhooksOwnedKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { openRecorder } from '../webhooks/recording.ts'

const world = useWorld()

const { createWebhook, listWebhooks, getWebhook, changeWebhook, testWebhook, rotateSecret } = adminWebhooks
const INPUT = { name: 'Site', url: 'https://a.example/hook', events: ['post.published', 'page.published'] }
function asAdmin(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

async function show(id: number) {
  return (await world.call(getWebhook, asAdmin(id))).data
}

/** Sealed bytes may begin like packed text by chance. */
function unpacked(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes).toString()
  } catch {
    return ''
  }
}

describe('POST /api/v1/admin/webhooks', () => {
  it('stores the secret only sealed, also in the answer to its Idempotency-Key', async () => {
    const { id: userId, token } = await world.create.user({ abilities: ['admin'] })
    const headers = { 'Idempotency-Key': 'hook-1' }
    const { secret } = (await world.call(createWebhook, { token, body: INPUT, headers })).data
    const StoredReply = z.object({ answer: z.object({ bytes: z.instanceof(Uint8Array) }) })
    const storedReply = await world.table.find(idempotencyKey(userId, 'hook-1'), StoredReply)
    expect(storedReply).toBeDefined()
    expect(unpacked(storedReply?.answer.bytes ?? Buffer.of())).not.toContain(secret)
    const items = await world.table.query({ pk: webhooksOwnedKey(userId).pk }, z.looseObject({}))
    expect(items).not.toEqual([])
    expect(JSON.stringify(items)).not.toContain(secret)
  })
})

describe('POST and PATCH /api/v1/admin/webhooks', () => {
  it('report a private address and too short a wait together with all other faults', async () => {
    const { id } = await world.create.webhook(INPUT.url)
    const times = { quiet_seconds: 10, max_wait_seconds: 9 }
    const body = { name: ' ', url: 'http://10.0.0.1/', events: [], headers: { 'X-Key': 1 }, ...times }
    const answers = [
      await world.call(createWebhook, { token: world.admin, body }),
      await world.call(changeWebhook, asAdmin(id, body)),
    ]
    for (const { status, fields } of answers) {
      const named = ['events', 'headers.X-Key', 'max_wait_seconds', 'name', 'url']
      expect([status, Object.keys(fields ?? {}).sort()]).toEqual([422, named])
      expect(fields?.['headers.X-Key']).toEqual(['Must be a string.'])
    }
  })
})

describe('the headers of a subscription', () => {
  it('are sent, and no answer and no item of the table has their values', async () => {
    const { recorded, url } = await openRecorder()
    const headers = { Authorization: 'Bearer s3cret', 'X-Key': 's3cret' }
    const body = { ...INPUT, url: url('500'), headers }
    const once = { 'Idempotency-Key': 'headers' }
    const created = await world.call(createWebhook, { token: world.admin, body, headers: once })
    const { id } = created.data
    const tested = await world.call(testWebhook, asAdmin(id))
    const log = await world.call(adminWebhooks.listDeliveries, asAdmin(id))
    const delivery_id = log.data[0]?.id ?? ''
    const ofDelivery = { token: world.admin, params: { id, delivery_id } }
    const again = await world.call(adminWebhooks.redeliver, ofDelivery)
    await until('both attempts', () => recorded.length === 2)
    for (const sent of recorded) {
      expect(sent.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-key': 's3cret' })
    }
    const answers = [
      ...[created, tested, log, again],
      await world.call(adminWebhooks.getDelivery, ofDelivery),
      await world.call(listWebhooks, { token: world.admin }),
      await world.call(getWebhook, asAdmin(id)),
      await world.call(rotateSecret, asAdmin(id, {})),
      await world.call(changeWebhook, asAdmin(id, { name: 'Other' })),
      await world.call(changeWebhook, asAdmin(id, { headers: { 'X-Key': 's3cret\n' } })),
      await world.call(changeWebhook, asAdmin(id, { headers: { Host: 's3cret' } })),
    ]
    for (const { text } of answers) expect(text).not.toContain('s3cret')
    expect(answers.slice(-2).map(({ status }) => status)).toEqual([422, 422])
    const items = await dumpAt(world.dynamodbEndpoint, world.tableName)
    expect(JSON.stringify(items)).not.toContain('s3cret')
  })
})

const Sent = z.object({
  ref: z.literal('main'),
  count: z.int(),
  all: z.object({
    event: z.literal('batch'),
    data: z.object({ items: z.array(z.object({ event: z.literal('post.published'), id: z.int() })) }),
  }),
})

describe('a subscription with quiet_seconds', () => {
  it('gets several events as one POST, with its own headers and body', async () => {
    const { recorded, url } = await openRecorder()
    const { id } = await world.create.webhook(url('200'), {
      events: ['post.published'],
      quiet_seconds: 1,
      headers: { Authorization: 'Bearer own' },
      body: { ref: 'main', count: '{{count}}', all: '{{payload}}' },
    })
    // A slow machine lets more than a second pass between two events.
    for (let quiet_seconds = 1, posts = 0; posts !== 1; quiet_seconds *= 2) {
      await world.call(changeWebhook, asAdmin(id, { quiet_seconds }))
      recorded.length = 0
      const published = await Promise.all([1, 2, 3].map(() => world.create.livePost()))
      const sent = () => recorded.map(({ body }) => Sent.parse(JSON.parse(body)))
      await until('all events', () => sent().reduce((sum, { count }) => sum + count, 0) >= 3)
      const items = sent().flatMap(({ all }) => all.data.items)
      expect(items.map(item => item.id).sort()).toEqual(published.map(post => post.id).sort())
      for (const { headers } of recorded) expect(headers.authorization).toBe('Bearer own')
      posts = recorded.length
    }
  })
})

describe('a subscription of another admin', () => {
  it('is not found by any endpoint, and stays unchanged', async () => {
    const { url, received } = await openSubscriber({ status: 204 })
    const { id } = await world.create.webhook(url)
    await world.call(testWebhook, asAdmin(id))
    const log = async () => (await world.call(adminWebhooks.listDeliveries, asAdmin(id))).data
    const before = [await show(id), await log()]
    const [delivery] = await log()
    const { token } = await world.create.user({ abilities: ['admin'] })
    const bodies = new Map<Endpoint, object>([
      [changeWebhook, { is_active: false }],
      [rotateSecret, {}],
      [adminWebhooks.redeliverAll, { since: '2026-01-01', status: 'all' }],
    ])
    const ofOne = Object.values<Endpoint>(adminWebhooks).filter(({ path }) => path.includes('{id}'))
    expect(ofOne.length).toBeGreaterThan(7)
    for (const endpoint of ofOne) {
      const params = { id, delivery_id: delivery?.id ?? '' }
      const { status, code } = await world.call(endpoint, { token, params, body: bodies.get(endpoint) })
      expect([endpoint.path, status, code]).toEqual([endpoint.path, 404, 'NOT_FOUND'])
    }
    expect((await world.call(listWebhooks, { token })).data).toEqual([])
    expect([await show(id), await log()]).toEqual(before)
    expect(received).toHaveLength(1)
  })
})

describe('POST /api/v1/admin/webhooks/{id}/test', () => {
  it('delivers a signed test.ping even to an inactive subscription, without a quiet time, and counts it', async () => {
    const subscriber = await openSubscriber({ status: 204 })
    const input = { events: ['ticket.created' as const], quiet_seconds: 900 }
    const { id, secret } = await world.create.webhook(subscriber.url, input)
    await world.call(changeWebhook, asAdmin(id, { is_active: false }))
    const headers = { 'X-Request-Id': 'ping-1' }
    const { status, data } = await world.call(testWebhook, { ...asAdmin(id), headers })
    expect(status).toBe(200)
    expect(data).toEqual({ delivered: true, response_status: 204, duration_ms: expect.any(Number) })

    const [ping] = subscriber.received
    expect(ping).toMatchObject({
      event: 'test.ping',
      data: { id, url: world.baseUrl, message: expect.any(String) },
      headers: { 'x-request-id': 'ping-1' },
    })
    const signed = Object.entries(ping?.headers ?? {}).map(([name, value]) => [name, String(value)])
    new StandardWebhook(secret).verify(ping?.body ?? '', Object.fromEntries(signed))
    expect(await show(id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 0, is_active: false })
  })
})

describe('POST /api/v1/admin/webhooks/{id}/rotate-secret', () => {
  it.each([
    [{ overlap_hours: 2 }, 2],
    [undefined, 24],
  ])('shows a new secret once, and the end of the overlap, for the body %j', async (body, hours) => {
    const { id, secret: old, ...created } = await world.create.webhook(INPUT.url)
    const from = Math.floor(Date.now() / 1000)
    const { status, data } = await world.call(rotateSecret, asAdmin(id, body))
    const to = Math.floor(Date.now() / 1000)
    const { secret, secret_rotation, ...shown } = data
    expect([status, shown]).toEqual([200, { ...created, id }])
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(old)
    const start = Date.parse(secret_rotation?.ends_at ?? '') / 1000 - hours * 3_600
    expect([start >= from, start <= to]).toEqual([true, true])

    expect((await show(id)).secret_rotation).toEqual(secret_rotation)
    const listed = await world.call(listWebhooks, { token: world.admin })
    expect(listed.data.find(webhook => webhook.id === id)).not.toHaveProperty('secret_rotation')
    expect(listed.text).not.toContain('whsec_')
  })

  it('returns 409 during an overlap, and rotates once for concurrent requests', async () => {
    const { id } = await world.create.webhook(INPUT.url)
    const rotate = (overlap_hours: number) => world.call(rotateSecret, asAdmin(id, { overlap_hours }))
    const answers = await Promise.all([rotate(168), rotate(168), rotate(168), rotate(168)])
    const [rotated, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    for (const answer of [await rotate(168), ...answers.filter(answer => answer !== rotated)]) {
      const ends = rotated?.data.secret_rotation?.ends_at
      expect([answer.status, answer.code]).toEqual([409, 'CONFLICT'])
      expect(answer.message).toContain(`is being rotated until ${ends}`)
      expect(answer.message).toContain('overlap_hours 0')
    }
    expect((await rotate(0)).data.secret_rotation).toBeNull()
    expect((await show(id)).secret_rotation).toBeNull()
  })
})
