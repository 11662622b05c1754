// Idempotency-Key: the same request sent twice acts once and gets the same answer twice.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openExamples } from '../openapi/send-example.ts'
import { ENDPOINTS } from '../world/endpoints.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let examples: ReturnType<typeof openExamples>
beforeAll(() => {
  examples = openExamples(world)
})

function create(key: string, body: unknown, token = world.admin) {
  return world.call(adminPosts.createPost, { token, body, headers: { 'Idempotency-Key': key } })
}

async function total() {
  return (await world.call(adminPosts.listPosts, { token: world.admin })).pagination.total
}

const POSTS = ENDPOINTS.filter(({ endpoint }) => endpoint.method === 'POST' && endpoint.audience === 'admin')

describe.each(POSTS)('$name with an Idempotency-Key', ({ endpoint }) => {
  it('repeats the first answer, which says so', async () => {
    const request = { ...(await examples.prepare(endpoint)), headers: { 'Idempotency-Key': randomUUID() } }
    const [first, again] = [await world.call(endpoint, request), await world.call(endpoint, request)]
    const replayed = [first, again].map(({ headers }) => headers.get('Idempotent-Replayed'))
    expect([first.status, again.status, again.text]).toEqual([endpoint.status, first.status, first.text])
    expect(replayed).toEqual([null, 'true'])
  })
})

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

  it('returns 422 for an empty key and for one of more than 255 characters', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      expect(Object.keys((await create(key, { title: 'A' })).fields ?? {})).toEqual(['Idempotency-Key'])
    }
  })
})
