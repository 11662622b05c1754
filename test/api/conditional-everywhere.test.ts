// ETags and caching of every endpoint, and that a write returns the ETag of the next read.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories } from '../../shared/categories/contract.ts'
import { type Endpoint, isGuarded } from '../../shared/http/endpoint.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { ENDPOINTS, pathOf as pathWith, requiredQuery, sendTo, sequentially } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { recordsOf } from '../support/records.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)

async function pathOf(endpoint: Endpoint) {
  const path = pathWith(endpoint, await records.paramsFor(endpoint))
  const query = requiredQuery(endpoint)
  return query === '' ? path : `${path}?${query}`
}

/** A preview is read by whoever has its token. */
function isPublicRead({ path, method }: Endpoint) {
  return method === 'GET' && !/^\/api\/v1\/(me|admin|auth|preview)(\/|$)/.test(path)
}

const CACHED = { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' }
const Written = z.object({ id: z.int() })
const reads = ENDPOINTS.filter(({ endpoint }) => isPublicRead(endpoint))
const others = ENDPOINTS.filter(({ endpoint }) => !isPublicRead(endpoint))
const tagged = reads.filter(({ name }) => name !== 'GET /api/v1/health')

describe.each(reads)('$name', ({ endpoint }) => {
  it('allows caches to store the answer if they revalidate it', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await rawRequest(world.baseUrl, method, await pathOf(endpoint))
      expect([status, headers]).toMatchObject([200, CACHED])
    }
  })
})

describe.each(tagged)('$name', ({ endpoint }) => {
  it('returns 304 for its ETag to GET and HEAD, with the headers of the answer', async () => {
    const first = await rawRequest(world.baseUrl, 'GET', await pathOf(endpoint))
    const etag = first.headers.etag ?? ''
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const method of ['GET', 'HEAD']) {
      const headers = { 'If-None-Match': etag }
      const answer = await rawRequest(world.baseUrl, method, await pathOf(endpoint), { headers })
      expect([answer.status, answer.text]).toEqual([304, ''])
      expect(answer.headers).toMatchObject({ etag, ...CACHED })
    }
  })

  it('has the same ETag with and without gzip', async () => {
    const path = await pathOf(endpoint)
    const [plain, packed] = await sequentially(['identity', 'gzip'], coding =>
      rawRequest(world.baseUrl, 'GET', path, { headers: { 'Accept-Encoding': coding } }),
    )
    expect(packed?.headers.etag).toBe(plain?.headers.etag)
  })
})

describe.each(others)('$name', ({ endpoint }) => {
  it('returns no-store with and without a token', async () => {
    for (const token of ['', world.admin]) {
      if (token === world.admin && endpoint.path.endsWith('/logout')) continue
      const answer = await sendTo(world.baseUrl)(endpoint, { token, body: '{' })
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })
})

describe('the ETag of a public read', () => {
  it('is the same for any order of the members of a picture in the table', async () => {
    const [thumbnail, medium, large, original] = ['t', 'm', 'l', 'o'].map(size => `https://a.example/${size}`)
    const { slug } = await world.create.livePost({ featured_image: { original, large, medium, thumbnail } })
    const tags = new Set<string | null>()
    for (let n = 0; n < 8; n++) {
      tags.add((await world.call(posts.getPost, { params: { slug } })).headers.get('ETag'))
    }
    expect(tags.size).toBe(1)
  })
})

describe('a failed public read', () => {
  it('is no-store and has no ETag', async () => {
    for (const path of ['/api/v1/posts/unknown', '/api/v1/posts?page=0', '/api/v1/nothing']) {
      const { headers } = await rawRequest(world.baseUrl, 'GET', path)
      expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined])
    }
  })
})

const written = ENDPOINTS.filter(
  ({ endpoint }) => endpoint.isVersioned && !['GET', 'DELETE'].includes(endpoint.method),
)

describe.each(written)('$name', ({ endpoint }) => {
  it('returns the ETag of the next read, also if it changes nothing, with which the record can be changed', async () => {
    const isOfPosts = endpoint.path.includes('/posts')
    const read: Endpoint = isOfPosts ? adminPosts.getPost : adminCategories.getCategory
    const change: Endpoint = isOfPosts ? adminPosts.changePost : adminCategories.changeCategory
    const params = await records.newParamsFor(endpoint)
    const body = endpoint.body ? { body: await records.bodyFor(endpoint) } : {}
    for (const _ of endpoint.path.includes('{id}') ? ['once', 'again'] : ['once']) {
      const request = { token: world.admin, params, ...body }
      const { data, headers } = await world.call(endpoint, request)
      const ofRecord = { token: world.admin, params: { id: Written.parse(data).id } }
      const etag = headers.get('ETag') ?? ''
      expect((await world.call(read, ofRecord)).headers.get('ETag')).toBe(etag)
      const own = { ...ofRecord, headers: { 'If-None-Match': etag } }
      expect((await world.call(read, own)).status).toBe(304)
      const matching = { ...ofRecord, headers: { 'If-Match': etag }, body: {} }
      expect((await world.call(change, matching)).status).toBe(200)
    }
  })
})

describe('the ETag of a write', () => {
  it('changes with the names that a post shows although its version stays', async () => {
    const category = await world.create.category()
    const post = await world.create.post({ category_ids: [category.id] })
    const request = { token: world.admin, params: { id: post.id } }
    const before = await world.call(adminPosts.getPost, request)
    const renaming = { token: world.admin, params: { id: category.id }, body: { name: 'Renamed' } }
    await world.call(adminCategories.changeCategory, renaming)
    const after = await world.call(adminPosts.getPost, request)
    expect(after.data.version).toBe(before.data.version)
    const [etag, later] = [before, after].map(({ headers }) => headers.get('ETag'))
    expect(later).not.toBe(etag)
    // A change of the version that was read is still accepted.
    const matching = { ...request, headers: { 'If-Match': etag ?? '' }, body: { title: 'B' } }
    expect((await world.call(adminPosts.changePost, matching)).status).toBe(200)
  })
})

describe.each(ENDPOINTS.filter(({ endpoint }) => isGuarded(endpoint)))('$name', ({ endpoint }) => {
  it('returns 412 for another version', async () => {
    const params = await records.paramsFor(endpoint)
    const request = { token: world.admin, params, body: '{}', headers: { 'If-Match': '"0.x"' } }
    expect(await sendTo(world.baseUrl)(endpoint, request)).toMatchObject({ code: 'PRECONDITION_FAILED' })
  })
})

describe('a precondition that an endpoint does not support', () => {
  it('has no effect: If-None-Match of a write; If-Match of a read, a webhook and a new record', async () => {
    const { id } = await world.create.post()
    const webhook = await world.create.webhook('https://a.example/hook')
    const headers = { 'If-Match': '"0.x"', 'If-None-Match': '*' }
    const request = { token: world.admin, params: { id } }
    const both = { token: world.admin, headers, body: { title: 'T', name: 'N' } }
    const ofWrite = { ...request, headers: { 'If-None-Match': '*' }, body: both.body }
    const answers = [
      await world.call(adminPosts.getPost, { ...request, headers: { 'If-Match': '"0.x"' } }),
      await world.call(adminPosts.changePost, ofWrite),
      await world.call(adminPosts.createPost, both),
      await world.call(adminWebhooks.changeWebhook, { ...both, params: { id: webhook.id } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200])
  })
})
