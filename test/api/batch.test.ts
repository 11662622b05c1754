// A batch over HTTP: each operation is the request of its own that it names, and is answered like it.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminBatch } from '../../shared/batch/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { ENDPOINTS, pathOf, sendTo } from '../support/endpoints.ts'
import { recordsOf } from '../support/records.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)

type Operation = { method?: unknown; path?: unknown; body?: unknown; if_match?: unknown }

function batch(operations: unknown, headers: Record<string, string> = {}) {
  return world.call(adminBatch.runBatch, { token: world.admin, body: { operations }, headers })
}

function createPost(title: string, more: Record<string, unknown> = {}): Operation {
  return { method: 'POST', path: '/admin/posts', body: { title, ...more } }
}

async function countOf(slug: string) {
  const { pagination } = await world.call(adminPosts.listPosts, { token: world.admin, query: { slug } })
  return pagination.total
}

/** The operations that a batch takes: all writes of versioned records. */
const OPERATIONS = ENDPOINTS.filter(({ endpoint }) => endpoint.isVersioned && endpoint.method !== 'GET')

describe('POST /api/v1/admin/batch', () => {
  it('takes the writes of posts and categories', () => {
    expect(OPERATIONS.map(({ name }) => name.replace('/api/v1/admin', ''))).toEqual([
      'POST /posts',
      'PATCH /posts/{id}',
      'DELETE /posts/{id}',
      'POST /posts/{id}/publish',
      'POST /posts/{id}/unpublish',
      'POST /categories',
      'PATCH /categories/{id}',
      'DELETE /categories/{id}',
    ])
  })

  it('does the operations in order, and one that fails stops none', async () => {
    const { id } = await world.create.post({ title: 'Before' })
    const path = `/api/v1/admin/posts/${id}`
    const { data, headers } = await batch([
      { method: 'PATCH', path, body: { title: 'First' } },
      { method: 'PATCH', path, body: { title: '' } },
      { method: 'PATCH', path, body: { title: 'Second' } },
      { method: 'POST', path: `${path}/publish` },
      { method: 'DELETE', path: '/admin/posts/999999' },
      { method: 'DELETE', path },
    ])
    expect(data.map(({ status }) => status)).toEqual([200, 422, 200, 200, 404, 200])
    expect(data[3]?.body.data).toMatchObject({ title: 'Second', version: 4, status: 'published' })
    expect(headers.get('x-batch-id')).toBe(headers.get('x-request-id'))
  })

  const foreign: [what: string, operation: Operation, member: string][] = [
    ['a batch', { method: 'POST', path: '/api/v1/admin/batch', body: { operations: [] } }, 'path'],
    ['a read', { method: 'GET', path: '/api/v1/admin/posts' }, 'method'],
    ['a PUT', { method: 'PUT', path: '/api/v1/admin/menus/main' }, 'method'],
    ['another resource', { method: 'POST', path: '/api/v1/admin/webhooks' }, 'path'],
    ['a preview', { method: 'POST', path: '/api/v1/admin/posts/1/preview' }, 'path'],
    ['a public path', { method: 'POST', path: '/api/v1/contact' }, 'path'],
    ['a query', { method: 'POST', path: '/api/v1/admin/posts?x=1' }, 'path'],
    ['a host', { method: 'POST', path: 'https://a.example/api/v1/admin/posts' }, 'path'],
    ['a path upwards', { method: 'DELETE', path: '/api/v1/admin/posts/../users/1' }, 'path'],
    ['no path', { method: 'POST' }, 'path'],
    ['a condition that is no text', { method: 'DELETE', path: '/admin/posts/1', if_match: 1 }, 'if_match'],
  ]
  it.each(foreign)('returns 422 for %s, and does nothing', async (what, operation, member) => {
    const slug = `not-done-${what.replaceAll(' ', '-')}`
    const { status, fields } = await batch([createPost('Not done', { slug }), operation])
    expect([status, Object.keys(fields ?? {})]).toEqual([422, [`operations.1.${member}`]])
    expect(await countOf(slug)).toBe(0)
  })

  it('takes a path as a request of its own may have it', async () => {
    const { id } = await world.create.post()
    const paths = [`/admin/posts/${id}`, `/api/v1/admin/posts/${id}/`, `/admin/posts/%3${id}`]
    const { data } = await batch(paths.map(path => ({ method: 'PATCH', path, body: { title: path } })))
    const titles = data.map(({ status, body }) => [status, Object(body.data).title])
    expect(titles).toEqual(paths.map(path => [200, path]))
  })

  it('takes 1 to 25 operations, and 2 MiB', async () => {
    const unknown = { method: 'DELETE', path: '/admin/posts/999999' }
    const many = (count: number) => Array.from({ length: count }, () => unknown)
    for (const operations of [[], many(26), 'all']) {
      const { status, fields } = await batch(operations)
      expect([status, Object.keys(fields ?? {})]).toEqual([422, ['operations']])
    }
    expect((await batch(many(25))).data.map(({ status }) => status)).toEqual(Array(25).fill(404))
    const large = createPost('Large', { body: 'x'.repeat(1024 * 1024) })
    expect((await batch([large, large])).code).toBe('PAYLOAD_TOO_LARGE')
  })

  it.each([[null], [[]], ['x']])('returns 422 for %j in place of an operation', async operation => {
    const { status, fields } = await batch([operation])
    expect([status, fields]).toEqual([422, { 'operations.0': ['Must be an object.'] }])
  })

  it('does all operations, and leaves out the bodies of posts if the answer becomes too long', async () => {
    const body = 'x'.repeat(1_740_000)
    const { id } = await world.create.post({ body })
    const publish = { method: 'POST', path: `/admin/posts/${id}/publish` }
    const faulty = createPost('Faulty', { category_ids: Array(1_000).fill('x') })
    const few = await batch([publish, publish])
    expect(few.data.map(result => Object(result.body.data).body?.length)).toEqual([body.length, body.length])
    const { data } = await batch([publish, publish, publish, ...Array(22).fill(faulty)])
    expect(data.map(({ status }) => status)).toEqual([200, 200, 200, ...Array(22).fill(422)])
    for (const { body } of data.slice(0, 3)) {
      expect(body.data).toMatchObject({ id, status: 'published' })
      expect(body.data).not.toHaveProperty('body')
    }
    expect(data.slice(3).every(({ body }) => !('data' in body))).toBe(true)
  })

  it('returns 422 for a body that is nested too deep, and does nothing', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const operation = `{"method":"POST","path":"/admin/posts","body":{"title":"Deep","x":${deep}}}`
    const body = `{"operations":[${operation}]}`
    const { status, fields } = await world.call(adminBatch.runBatch, { token: world.admin, body })
    expect([status, fields]).toEqual([422, { 'operations.0.body': ['Must not be nested so deep.'] }])
  })

  it('gives each operation an id of its own, which its events carry', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const live = (title: string) => createPost(title, { is_published: true })
    const { headers } = await batch([live('A'), createPost('Hidden'), live('B')], { 'X-Request-Id': 'mine' })
    await subscriber.waitFor(2)
    expect(headers.get('x-batch-id')).toBe('mine')
    const ids = subscriber.received.map(({ headers }) => headers['x-request-id'])
    expect(ids.sort()).toEqual(['mine.0', 'mine.2'])
  })
})

describe('POST /api/v1/admin/batch with an Idempotency-Key', () => {
  it('returns 409 for another operation at the same position, and does the others', async () => {
    const headers = { 'Idempotency-Key': 'positions' }
    await batch([createPost('One', { slug: 'position-1' })], headers)
    const { data } = await batch([createPost('Other'), createPost('Two', { slug: 'position-2' })], headers)
    expect(data.map(({ status }) => status)).toEqual([409, 201])
  })

  it('returns 422 for a key that is too long', async () => {
    const { status, fields } = await batch([createPost('No')], { 'Idempotency-Key': 'k'.repeat(256) })
    expect([status, Object.keys(fields ?? {})]).toEqual([422, ['Idempotency-Key']])
  })
})

describe.each(OPERATIONS)('$name in a batch', ({ endpoint }) => {
  type Ask = { params?: Record<string, string | number>; body?: unknown; ifMatch?: string }
  let body: unknown
  beforeAll(async () => {
    body = endpoint.body ? await records.bodyFor(endpoint) : undefined
  })

  async function alone(endpoint: Endpoint, { params = {}, body, ifMatch }: Ask) {
    const { status, json, headers } = await sendTo(world.baseUrl)(endpoint, {
      token: world.admin,
      params,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
    })
    return { status, body: json, etag: headers.etag }
  }

  async function inBatch(endpoint: Endpoint, { params = {}, body, ifMatch }: Ask) {
    const path = pathOf(endpoint, params)
    const operation = { method: endpoint.method, path, body, if_match: ifMatch }
    const [result] = (await batch([operation])).data
    return { status: result?.status, body: result?.body, etag: result?.headers?.etag }
  }

  it('is answered with a success like the request alone', async () => {
    const ask = async () => ({ params: await records.newParamsFor(endpoint), body })
    const [own, part] = [await alone(endpoint, await ask()), await inBatch(endpoint, await ask())]
    expect([part.status, part.status]).toEqual([own.status, endpoint.status])
    expect(Object.keys(Object(Object(part.body).data))).toEqual(Object.keys(Object(Object(own.body).data)))
    const told = [own, part].map(({ etag, body }) => [etag === undefined, Object(body).message])
    expect(told[1]).toEqual(told[0])
  })

  it('is answered with each fault exactly like the request alone', async () => {
    const params = await records.newParamsFor(endpoint)
    const ofBody = [{}, [], { name: 7, title: 7, slug: ' ' }].map(body => ({ params, body }))
    const ofId = [999_999, 'x', '%'].map(id => ({ params: { id }, body }))
    const asks: Ask[] = endpoint.body ? [...ofBody] : []
    if (Object.keys(params).length > 0) asks.push({ params, body, ifMatch: '"99.x"' }, ...ofId)
    for (const ask of asks) {
      const own = await alone(endpoint, ask)
      if (own.status < 300) continue
      expect([ask, await inBatch(endpoint, ask)]).toEqual([ask, own])
    }
  })
})
