// Preview tokens that are forged, expired, void, or of another record: none shows anything, and each is
// answered like no token, after the same calls.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { rotated, slotsIn } from '../../shared/aws/secret-value.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { sealCursor } from '../../shared/lists/cursor.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { isPreviewOf, openPreview, sealPreview } from '../../shared/posts/preview.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { aPost } from '../rules/a-post.ts'
import { callOf, openChain } from '../support/chain.ts'
import { contentIsRemembered } from '../support/remembered.ts'
import { use } from '../support/use.ts'

const SECRET = 'the key of client addresses'
const NOW = 1_800_000_000
const post = aPost({ id: 7 })
const right = sealPreview(post, NOW + 3_600, SECRET)

/** Tokens made from a right one, or from nothing. */
const forged = fc
  .oneof(
    fc.string({ maxLength: 120 }),
    fc.base64String({ maxLength: 120 }),
    fc
      .tuple(fc.nat(right.length - 1), fc.base64String({ minLength: 1, maxLength: 4 }))
      .map(([at, text]) => right.slice(0, at) + text.replace(/[+/=]/g, '_') + right.slice(at + text.length)),
    fc.nat(right.length - 1).map(at => right.slice(0, at)),
    fc.string({ minLength: 1, maxLength: 5 }).map(more => right + more),
    fc.nat(3).map(id => `${id + 2}.${right}`),
    fc.uint8Array({ maxLength: 90 }).map(bytes => Buffer.from(bytes).toString('base64url')),
  )
  .filter(text => text !== right)

describe('a preview token', () => {
  it('opens as it was sealed, until it expires, also after one rotation of the key', () => {
    const slots = rotated(slotsIn(SECRET), NOW)
    for (const secret of [SECRET, JSON.stringify(slots)]) {
      expect(isPreviewOf(openPreview(right, NOW + 3_599, secret), post)).toBe(true)
      expect(openPreview(right, NOW + 3_600, secret)).toBeUndefined()
    }
    const twice = JSON.stringify(rotated(slots, NOW))
    expect(openPreview(right, NOW, twice)).toBeUndefined()
    const later = sealPreview(post, NOW + 60, twice)
    expect(isPreviewOf(openPreview(later, NOW, twice), post)).toBe(true)
  })

  it('is for one record and one epoch, and is no cursor', () => {
    const opened = openPreview(right, NOW, SECRET)
    expect(isPreviewOf(opened, aPost({ id: 8 }))).toBe(false)
    expect(isPreviewOf(opened, aPost({ id: 7, preview_epoch: 1 }))).toBe(false)
    const cursor = sealCursor([7, 0, NOW + 60], { key: SECRET, place: '' })
    expect(openPreview(cursor, NOW, SECRET)).toBeUndefined()
  })

  it('opens none of 100,000 forged texts', () => {
    fc.assert(
      fc.property(forged, text => openPreview(text, NOW, SECRET) === undefined),
      { numRuns: 100_000 },
    )
  })
})

const callAdmin = callOf((await import('../../functions/admin.ts')).handler)
const callPublic = callOf((await import('../../functions/public.ts')).handler)
const chain = use(() => openChain({ LIMIT_SCALE: '1000000' }))

type Made = { id: number; slug: string }
let admin: { token: string }
let hidden: Made
/** Tokens that are sealed by the service, and valid for nothing: each by what is wrong with it. */
const worthless: Record<string, string> = {}

async function makePost(title: string): Promise<Made> {
  const made = await callAdmin(adminPosts.createPost, { token: admin.token, body: { title } })
  return JSON.parse(made.text).data
}

async function tokenOf({ id }: Made): Promise<string> {
  const made = await callAdmin(adminPosts.createPreview, { token: admin.token, params: { id } })
  return JSON.parse(made.text).data.token
}

beforeAll(async () => {
  setRuntime(chain.runtime)
  admin = await chain.user(['admin'])
  hidden = await makePost('Hidden')
  worthless.expired = await tokenOf(hidden)
  chain.clock.nowMs += 3_600_000
  worthless.void = await tokenOf(hidden)
  await callAdmin(adminPosts.deletePreviews, { token: admin.token, params: { id: hidden.id } })
  worthless['of another record'] = await tokenOf(await makePost('Another one'))
  const deleted = await makePost('Deleted')
  worthless['of a deleted record'] = await tokenOf(deleted)
  await callAdmin(adminPosts.deletePost, { token: admin.token, params: { id: deleted.id } })
  await contentIsRemembered(chain.table, chain.clock.nowMs)
})

/** The answer to a token, but for what tells one request from another, and the calls that it took. */
async function answerTo(token: string | undefined, endpoint: Endpoint, params = {}) {
  const ask = { params, ...(token !== undefined && { headers: { 'Preview-Token': token } }) }
  const { result, used } = await chain.measure(() => callPublic(endpoint, ask))
  const { 'X-RateLimit-Remaining': _, ...headers } = result.headers
  return { status: result.status, text: result.text, headers, calls: used.calls, rounds: used.roundTrips }
}

describe('GET /api/v1/posts/{slug}', () => {
  it('answers as without a token, after the same calls, whether the slug is hidden or unknown', async () => {
    const answer = (slug: string, token?: string) => answerTo(token, posts.getPost, { slug })
    await answer('unknown')
    const expected = await answer('unknown')
    expect(expected.status).toBe(404)
    for (const token of [...Object.values(worthless), ...fc.sample(forged, 200)]) {
      for (const slug of [hidden.slug, 'unknown']) {
        expect([token, await answer(slug, token)]).toEqual([token, expected])
      }
    }
    expect((await answer(hidden.slug, await tokenOf(hidden))).status).toBe(200)
  })
})

describe('GET /api/v1/preview', () => {
  it('answers as without a token, after the same calls', async () => {
    const expected = await answerTo(undefined, posts.getPreview)
    expect(expected.status).toBe(404)
    const { 'of another record': _, ...others } = worthless
    for (const token of [...Object.values(others), ...fc.sample(forged, 200)]) {
      expect([token, await answerTo(token, posts.getPreview)]).toEqual([token, expected])
    }
  })

  it('writes nothing but the count of the limiter, and neither does the creation of its token', async () => {
    const before = await chain.dump()
    const token = await tokenOf(hidden)
    await callPublic(posts.getPreview, { headers: { 'Preview-Token': token } })
    const after = await chain.dump()
    const content = (items: typeof before) => items.filter(({ pk }) => !String(pk).startsWith('LIMIT'))
    expect(content(after)).toEqual(content(before))
  })
})
