// A change of a post that the limit or the token refuses writes nothing.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { kindOf, limitKey, tokenKey } from '../../shared/table/design.ts'
import { callOf, openChain } from '../world/chain.ts'
import { use } from '../world/use.ts'

const call = callOf((await import('../../functions/admin.ts')).handler)
/** Admins have 1 request a minute. */
const chain = use(() => openChain({ LIMIT_SCALE: '0.0001' }))
let id = 0
beforeAll(async () => {
  setRuntime(chain.runtime)
  const { token } = await chain.user(['admin'])
  const created = await call(adminPosts.createPost, { token, body: { title: 'First' } })
  id = JSON.parse(created.text).data.id
})

/** Every item but the counts. */
async function content() {
  const items = await chain.dump()
  return items
    .filter(({ pk }) => kindOf(pk) !== 'LIMIT')
    .sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1))
}

/** Uses up the limit of a new admin. The function does not know it, as another function may have counted. */
async function adminWithoutRequests() {
  const { id: userId, token } = await chain.user(['admin'])
  const windowEnd = chain.clock.nowMs + 60_000
  const Item = { ...limitKey('admin', String(userId)), hits: 1_000, window_end: windowEnd, expires: 9e9 }
  await chain.table.write({ Put: { Item } })
  return token
}

/** Revokes a token that the function has seen to be valid. */
async function revokedAdmin() {
  const { id: userId, token } = await chain.user(['admin'])
  expect((await call(adminPosts.getPost, { params: { id }, token })).status).toBe(200)
  chain.clock.nowMs += 60_000
  await chain.table.write({ Delete: { Key: tokenKey(userId, Number(token.split('_')[2])) } })
  return token
}

const LARGE = { body: Array.from({ length: 60_000 }, () => Math.random().toString(36)).join(' ') }

const WRITES = [
  ['creates a post', adminPosts.createPost, { body: { title: 'Second' } }],
  ['creates a large post', adminPosts.createPost, { body: { title: 'Second', ...LARGE } }],
  [
    'creates a post under an Idempotency-Key',
    adminPosts.createPost,
    { body: { title: 'Second' }, headers: { 'Idempotency-Key': 'key' } },
  ],
  ['changes a post', adminPosts.changePost, { body: { title: 'Changed' } }],
  ['changes a large body', adminPosts.changePost, { body: LARGE }],
  ['publishes a post', adminPosts.publishPost, {}],
  ['unpublishes a post', adminPosts.unpublishPost, {}],
  ['deletes a post', adminPosts.deletePost, {}],
] as const

describe.each(WRITES)('a request over the limit that %s', (_, endpoint, ask) => {
  it('returns 429 and writes nothing', async () => {
    const token = await adminWithoutRequests()
    const before = await content()
    const refused = await call(endpoint, { params: { id }, token, ...ask })
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED'])
    expect(await content()).toEqual(before)
  })
})

describe.each(WRITES)('a request with a token that was valid a moment ago that %s', (_, endpoint, ask) => {
  it('returns 401 and writes nothing', async () => {
    const token = await revokedAdmin()
    const before = await content()
    const refused = await call(endpoint, { params: { id }, token, ...ask })
    expect([refused.status, refused.code]).toEqual([401, 'UNAUTHENTICATED'])
    expect(await content()).toEqual(before)
  })
})
