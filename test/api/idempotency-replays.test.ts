// A replay returns the first answer, whatever has changed since, and does not act again.
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { noise } from '../world/noise.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function create(
  key: string,
  body: unknown,
  options: { token?: string; headers?: Record<string, string> } = {},
) {
  return world.call(adminPosts.createPost, {
    token: options.token ?? world.admin,
    body,
    headers: { 'Idempotency-Key': key, ...options.headers },
  })
}

function isReplay({ headers }: { headers: Headers }) {
  return headers.get('Idempotent-Replayed') === 'true'
}

describe('a replay of a request', () => {
  it('returns the first answer byte for byte, even 1.5 MiB that do not compress', async () => {
    const key = randomUUID()
    const body = { title: 'Large', body: noise(1_572_864) }
    expect(body.body.length).toBe(1.5 * 1024 * 1024)
    const first = await create(key, body)
    const again = await create(key, body)
    expect([first.status, again.status, isReplay(again)]).toEqual([201, 201, true])
    expect(again.text === first.text).toBe(true)
    expect(first.data.body === body.body).toBe(true)
  })

  it('returns the first answer after the record was changed or deleted', async () => {
    const key = randomUUID()
    const body = { title: 'As it was' }
    const first = await create(key, body)
    const request = { token: world.admin, params: { id: first.data.id } }
    await world.call(adminPosts.changePost, { ...request, body: { title: 'As it is' } })
    expect((await create(key, body)).text).toBe(first.text)
    await world.call(adminPosts.deletePost, request)
    expect((await create(key, body)).text).toBe(first.text)
    expect((await world.call(adminPosts.getPost, request)).status).toBe(404)
  })

  it('has its own request id, counts against the limit and needs a valid token', async () => {
    const key = randomUUID()
    const body = { title: 'Sent twice' }
    const { id, token } = await world.create.user({ abilities: ['admin'] })
    const first = await create(key, body, { token, headers: { 'X-Request-Id': 'first' } })
    const other = await world.create.token(id, ['admin'])
    const again = await create(key, body, { token: other, headers: { 'X-Request-Id': 'again' } })
    expect([isReplay(again), again.headers.get('X-Request-Id')]).toEqual([true, 'again'])
    const left = [first, again].map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')))
    expect(left[1]).toBe((left[0] ?? 0) - 1)
    expect((await create(key, body, { token: `${token}x` })).code).toBe('UNAUTHENTICATED')
  })

  it('fires no event', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['post.published'] })
    const key = randomUUID()
    const body = { title: 'Fired once', is_published: true }
    const first = await create(key, body)
    for (let n = 0; n < 3; n++) await create(key, body)
    const witness = await world.create.livePost()
    await subscriber.waitFor(2)
    expect(subscriber.received.map(({ data }) => data.id).sort()).toEqual([first.data.id, witness.id].sort())
  })

  it('works for a publish without effect, and not for the same key with another path', async () => {
    const { id } = await world.create.livePost()
    const other = await world.create.livePost()
    const headers = { 'Idempotency-Key': randomUUID() }
    const publish = (target: number) =>
      world.call(adminPosts.publishPost, { token: world.admin, params: { id: target }, headers })
    const first = await publish(id)
    await world.call(adminPosts.unpublishPost, { token: world.admin, params: { id } })
    const again = await publish(id)
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
    const current = await world.call(adminPosts.getPost, { token: world.admin, params: { id } })
    expect(current.data.is_published).toBe(false)
    expect((await publish(other.id)).code).toBe('IDEMPOTENCY_CONFLICT')
  })
})

describe('an idempotency key', () => {
  it('is free after a failed ping, so that the next one is sent', async () => {
    const failing = await openSubscriber({ status: 500 })
    const { id } = await world.create.webhook(failing.url)
    const request = { token: world.admin, params: { id }, headers: { 'Idempotency-Key': randomUUID() } }
    for (let n = 0; n < 2; n++) {
      expect((await world.call(adminWebhooks.testWebhook, request)).code).toBe('DELIVERY_FAILED')
    }
    expect(failing.events()).toEqual(['test.ping', 'test.ping'])
  })

  it('is taken while a ping is in flight, which is sent once', async () => {
    const slow = await openSubscriber({ hangs: true })
    const { id } = await world.create.webhook(slow.url)
    const request = { token: world.admin, params: { id }, headers: { 'Idempotency-Key': randomUUID() } }
    const first = world.call(adminWebhooks.testWebhook, request)
    await slow.waitFor(1)
    const again = await world.call(adminWebhooks.testWebhook, request)
    expect([again.code, again.headers.get('Retry-After')]).toEqual(['IDEMPOTENCY_CONFLICT', '1'])
    expect((await first).code).toBe('DELIVERY_FAILED')
    expect(slow.received).toHaveLength(1)
  })

  it('has no effect with other methods and outside /admin', async () => {
    const headers = { 'Idempotency-Key': randomUUID() }
    const { id } = await world.create.post()
    const request = { token: world.admin, params: { id }, headers }
    for (const title of ['One', 'Two']) {
      const changed = await world.call(adminPosts.changePost, { ...request, body: { title } })
      expect([changed.data.title, isReplay(changed)]).toEqual([title, false])
    }
    const body = { name: 'n', abilities: ['user'] }
    const token = () => world.call(me.createToken, { token: world.admin, headers, body })
    expect((await token()).data.id).not.toBe((await token()).data.id)
  })

  it.each([1, 255])('may have %d characters', async length => {
    const key = randomBytes(length).toString('hex').slice(0, length)
    expect((await create(key, { title: 'T' })).status).toBe(201)
    expect(isReplay(await create(key, { title: 'T' }))).toBe(true)
  })
})
