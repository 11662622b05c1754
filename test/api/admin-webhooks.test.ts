// Webhook subscriptions of an admin: create, change, pause and delete.
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { idempotencyKey, webhookPartition } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { createWebhook, listWebhooks, getWebhook, changeWebhook, testWebhook } = adminWebhooks
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
  it('returns the same secret again under its Idempotency-Key, and stores it only sealed', async () => {
    const { id: userId, token } = await world.create.user({ abilities: ['admin'] })
    const request = { token, body: INPUT, headers: { 'Idempotency-Key': 'hook-1' } }
    const first = await world.call(createWebhook, request)
    const again = await world.call(createWebhook, request)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')

    const StoredReply = z.object({ answer: z.object({ body: z.instanceof(Uint8Array) }) })
    const storedReply = await world.table.find(idempotencyKey(userId, 'hook-1'), StoredReply)
    expect(storedReply).toBeDefined()
    expect(unpacked(storedReply?.answer.body ?? Buffer.of())).not.toContain(first.data.secret)
    const items = await world.table.query({ pk: webhookPartition(userId) }, z.looseObject({}))
    expect(items).not.toEqual([])
    expect(JSON.stringify(items)).not.toContain(first.data.secret)
  })
})

describe('POST and PATCH /api/v1/admin/webhooks', () => {
  it('store the normalised URL', async () => {
    const { id, url } = await world.create.webhook(' HTTPS://Münch.example:443/a/../b?c=é ')
    expect(url).toBe('https://xn--mnch-0ra.example/b?c=%C3%A9')
    const { data } = await world.call(changeWebhook, asAdmin(id, { url: 'https://B.example' }))
    expect(data.url).toBe('https://b.example/')
  })

  it('report a private address together with all other faults', async () => {
    const { id } = await world.create.webhook(INPUT.url)
    const body = { name: ' ', url: 'http://10.0.0.1/', events: [] }
    const answers = [
      await world.call(createWebhook, { token: world.admin, body }),
      await world.call(changeWebhook, asAdmin(id, body)),
    ]
    for (const { status, fields } of answers) {
      expect([status, Object.keys(fields ?? {}).sort()]).toEqual([422, ['events', 'name', 'url']])
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
      [adminWebhooks.rotateSecret, {}],
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
