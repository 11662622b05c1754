// The precedence of faults: requests with all faults, then without the first of them, and so on.
import { beforeAll, describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth } from '../../shared/accounts/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { limitKey } from '../../shared/table/design.ts'
import { type RequestParts, sendTo } from '../support/endpoints.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ environment: { LIMIT_SCALE: '1' } })
let faults: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => {
  faults = await prepare()
})

/** Users with a fault and a full bucket, and records for the faults of input. */
async function prepare() {
  const limited = async (abilities: ('user' | 'admin')[]) => {
    const user = await world.create.user({ abilities })
    const window = { hits: 30, window_end: Date.now() + 60_000 }
    await world.table.write({ Put: { Item: { ...limitKey('admin', String(user.id)), ...window } } })
    return user
  }
  const [banned, forbidden, full, fine] = [
    await limited(['user']),
    await limited(['user']),
    await limited(['admin']),
    await world.create.user({ abilities: ['admin'] }),
  ]
  await changeUser(world.table, banned.id, user => ({ ...user, ban: { reason: null, until: null } }))
  const [post, other] = [await world.create.post(), await world.create.post()]
  return {
    tokens: { banned: banned.token, forbidden: forbidden.token, full: full.token, fine: fine.token },
    post,
    takenSlug: other.slug,
  }
}

type Parts = RequestParts & { id?: string | number; ifMatch?: string; key?: string }

function send(endpoint: Endpoint, { id = 1, ifMatch, key, ...parts }: Parts) {
  const headers = {
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  }
  return sendTo(world.baseUrl)(endpoint, { params: { id }, headers, ...parts })
}

const OLD = '"999.old"'
const UNKNOWN = 999_999
const form = JSON.stringify({ title: 7 })
const huge = JSON.stringify({ title: 7, body: 'x'.repeat(2 * 1024 * 1024) })

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('checks the path first and references to other records last', async () => {
    const { tokens, post, takenSlug } = faults
    const table = JSON.stringify({ slug: takenSlug })
    const patch = (parts: Parts) => send(adminPosts.changePost, { ifMatch: OLD, ...parts })
    const answers = [
      await patch({ id: 'abc', body: huge }),
      await patch({ id: UNKNOWN, body: huge }),
      await patch({ id: UNKNOWN, body: form }),
      await patch({ id: UNKNOWN, body: form, token: tokens.banned }),
      await patch({ id: UNKNOWN, body: form, token: tokens.forbidden }),
      await patch({ id: UNKNOWN, body: form, token: tokens.full }),
      await patch({ id: UNKNOWN, body: form, token: tokens.fine }),
      await patch({ id: UNKNOWN, body: table, token: tokens.fine }),
      await patch({ id: post.id, body: table, token: tokens.fine }),
      await patch({ id: post.id, body: table, token: tokens.fine, ifMatch: '*' }),
    ]
    expect(answers.map(({ status, code, fields }) => [status, code, ...fields])).toEqual([
      [404, 'NOT_FOUND'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [401, 'UNAUTHENTICATED'],
      [403, 'ACCOUNT_BANNED'],
      [403, 'FORBIDDEN'],
      [429, 'RATE_LIMITED'],
      [422, 'VALIDATION_ERROR', 'title'],
      [404, 'NOT_FOUND'],
      [412, 'PRECONDITION_FAILED'],
      [422, 'VALIDATION_ERROR', 'slug'],
    ])
  })
})

describe('POST /api/v1/admin/posts', () => {
  it('reports a conflict of the idempotency key after the limit and before the form', async () => {
    const { tokens, takenSlug } = faults
    const post = (parts: Parts) => send(adminPosts.createPost, { key: 'order', ...parts })
    const table = JSON.stringify({ title: 'T', slug: takenSlug })
    await post({ token: tokens.fine, body: JSON.stringify({ title: 'First' }) })
    const answers = [
      await post({ token: tokens.full, body: form }),
      await post({ token: tokens.fine, body: form }),
      await post({ token: tokens.fine, body: form, key: '' }),
      await post({ token: tokens.fine, body: '{', key: '' }),
      await post({ token: tokens.fine, body: table, key: 'other' }),
    ]
    expect(answers.map(({ code, fields }) => [code, ...fields])).toEqual([
      ['RATE_LIMITED'],
      ['IDEMPOTENCY_CONFLICT'],
      ['VALIDATION_ERROR', 'Idempotency-Key', 'title'],
      ['VALIDATION_ERROR', 'Idempotency-Key', 'body'],
      ['VALIDATION_ERROR', 'slug'],
    ])
  })
})

describe('POST /api/v1/admin/posts/{id}/publish', () => {
  it('reports a conflict of the idempotency key before the record and its version', async () => {
    const { tokens, post } = faults
    const publish = (parts: Parts) =>
      send(adminPosts.publishPost, { token: tokens.fine, ifMatch: OLD, ...parts })
    const answers = [
      await publish({ id: UNKNOWN, key: 'order' }),
      await publish({ id: UNKNOWN }),
      await publish({ id: post.id }),
      await publish({ id: post.id, ifMatch: '*', body: 'not JSON, but no body is needed' }),
    ]
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [409, 'IDEMPOTENCY_CONFLICT'],
      [404, 'NOT_FOUND'],
      [412, 'PRECONDITION_FAILED'],
      [200, undefined],
    ])
  })
})

describe('POST /api/v1/auth/register', () => {
  it('reports closed registration before the limit and the form', async () => {
    await saveSettings(world.table, { 'auth.registration_enabled': false })
    const codes = []
    for (const body of [huge, '{', '{}', form, form, form]) {
      codes.push((await send(auth.register, { body })).code)
    }
    const closed = Array.from({ length: 5 }, () => 'REGISTRATION_DISABLED')
    expect(codes).toEqual(['PAYLOAD_TOO_LARGE', ...closed])
  })
})

describe('a read, which runs while it is counted', () => {
  it('is refused by the limit before its query and its id are checked', async () => {
    const { tokens } = faults
    for (const [endpoint, query] of [
      [adminPosts.listPosts, '?page=0'],
      [adminPosts.getPost, ''],
      [adminPosts.listPosts, ''],
    ] as const) {
      expect((await send(endpoint, { token: tokens.full, id: UNKNOWN, query })).code).toBe('RATE_LIMITED')
      expect((await send(endpoint, { token: tokens.forbidden, id: UNKNOWN, query })).code).toBe('FORBIDDEN')
      expect((await send(endpoint, { id: UNKNOWN, query })).code).toBe('UNAUTHENTICATED')
    }
  })
})
