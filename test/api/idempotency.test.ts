// Idempotency-Key: the same request sent twice acts once and gets the same answer twice, whatever has changed
// since. test/lambda/idempotency-crashes.test.ts is about requests that fail half-way.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openExamples } from '../openapi/send-example.ts'
import type { CallOptions } from '../support/call.ts'
import { ENDPOINTS } from '../support/endpoints.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let examples: ReturnType<typeof openExamples>
beforeAll(() => {
  examples = openExamples(world)
})

function create(key: string, body: unknown, { token = world.admin, headers = {} }: CallOptions = {}) {
  const all = { 'Idempotency-Key': key, ...headers }
  return world.call(adminPosts.createPost, { token, body, headers: all })
}

function isReplay({ headers }: { headers: Headers }) {
  return headers.get('Idempotent-Replayed') === 'true'
}

async function total() {
  return (await world.call(adminPosts.listPosts, { token: world.admin })).pagination.total
}

/** Each operation of a batch has a key of its own: test/api/batch.test.ts. */
const BATCH = 'POST /api/v1/admin/batch'
const POSTS = ENDPOINTS.filter(
  ({ name, endpoint }) => endpoint.method === 'POST' && endpoint.audience === 'admin' && name !== BATCH,
)

describe.each(POSTS)('$name with an Idempotency-Key', ({ endpoint }) => {
  it('repeats the first answer, which says so', async () => {
    const request = { ...(await examples.prepare(endpoint)), headers: { 'Idempotency-Key': randomUUID() } }
    const [first, again] = [await world.call(endpoint, request), await world.call(endpoint, request)]
    const replayed = [first, again].map(({ headers }) => headers.get('Idempotent-Replayed'))
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect([first.status, again.status, again.text]).toEqual([endpoint.status, first.status, first.text])
    expect(replayed).toEqual([null, 'true'])
  })
})

describe('POST /api/v1/admin/posts with an Idempotency-Key', () => {
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
    expect((await create(key, { title: 'Mine' }, other)).status).toBe(201)
  })
})

describe('a replay of a request', () => {
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

  it('has 1 to 255 characters', async () => {
    for (const length of [1, 255, 256]) {
      const key = randomBytes(length).toString('hex').slice(0, length)
      expect((await create(key, { title: 'T' })).status).toBe(length < 256 ? 201 : 422)
      expect(isReplay(await create(key, { title: 'T' }))).toBe(length < 256)
    }
  })
})
