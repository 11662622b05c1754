// Batches with a set clock: how they are counted, what is left when one is cut off, and what of a late one.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { parseToken } from '../../shared/accounts/token.ts'
import { adminBatch } from '../../shared/batch/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { tokenKey } from '../../shared/table/design.ts'
import { callOf, openChain } from '../support/chain.ts'
import { until } from '../support/until.ts'
import { use } from '../support/use.ts'

const callAdmin = callOf((await import('../../functions/admin.ts')).handler)
const chain = use(openChain)
let token: string
beforeAll(async () => {
  setRuntime(chain.runtime)
  token = (await chain.user(['admin'])).token
})
beforeEach(() => {
  chain.clock.nowMs += 60_000
})
afterEach(() => {
  chain.repair()
})

const Results = z.object({
  data: z.array(
    z.object({
      status: z.int(),
      headers: z.optional(z.record(z.string(), z.string())),
      body: z.looseObject({ data: z.optional(z.looseObject({})) }),
    }),
  ),
})
type Operation = { method: string; path: string; body?: unknown }

function createOf(title: string, slug?: string): Operation {
  return { method: 'POST', path: '/admin/posts', body: { title, slug } }
}

async function send(operations: Operation[], key?: string) {
  const headers = key !== undefined && { headers: { 'Idempotency-Key': key } }
  return await callAdmin(adminBatch.runBatch, { token, body: { operations }, ...headers })
}

async function run(operations: Operation[], key?: string) {
  return Results.parse(JSON.parse((await send(operations, key)).text)).data
}

const LEASE_MS = 30_000
const FOR_EVER_MS = 3_600_000

async function postOf(id: number) {
  return JSON.parse((await callAdmin(adminPosts.getPost, { token, params: { id } })).text).data
}

async function newPost(title: string): Promise<{ id: number }> {
  return JSON.parse((await callAdmin(adminPosts.createPost, { token, body: { title } })).text).data
}

async function countOf(slug: string) {
  const { text } = await callAdmin(adminPosts.listPosts, { token, query: { slug } })
  return JSON.parse(text).pagination.total
}

describe('a batch', () => {
  it('counts once against the limit, and is refused as a whole', async () => {
    const operations = [0, 1, 2].map(n => createOf(`Counted ${n}`))
    for (let left = 29; left >= 0; left--) {
      const { status, headers } = await send(operations)
      expect([status, headers['X-RateLimit-Remaining']]).toEqual([200, String(left)])
    }
    expect((await send(operations)).code).toBe('RATE_LIMITED')
  })

  it('stops where the token is revoked', async () => {
    const { token: other } = await chain.user(['admin'])
    const { userId, tokenId } = parseToken(other) ?? { userId: 0, tokenId: 0 }
    const body = { operations: [createOf('With a token'), createOf('Without one')] }
    const pausedAt = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'With a token' })
    const running = callAdmin(adminBatch.runBatch, { token: other, body })
    await pausedAt.reached
    await chain.table.write({ Delete: { Key: tokenKey(userId, tokenId) } })
    pausedAt.release()
    const { data } = Results.parse(JSON.parse((await running).text))
    expect(data.map(({ status }) => status)).toEqual([201, 401])
  })

  it('starts nothing 20 seconds after the request came in, whatever took so long', async () => {
    const paused = chain.pauseRequest({ operation: 'UpdateItem', mentions: 'LIMIT#admin' })
    const running = run([createOf('Late', 'too-late')])
    await paused.reached
    chain.clock.nowMs += 20_001
    paused.release()
    expect((await running).map(({ status }) => status)).toEqual([503])
    expect(await countOf('too-late')).toBe(0)
  })

  it('answers 503 to what cannot start within 20 seconds, and goes on there with the same key', async () => {
    const slugs = ['late-0', 'late-1', 'late-2']
    const operations = slugs.map(slug => createOf(slug, slug))
    const paused = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'late-1' })
    const running = run(operations, 'late')
    await paused.reached
    chain.clock.nowMs += 20_001
    paused.release()
    const first = await running
    expect(first.map(({ status }) => status)).toEqual([201, 201, 503])
    expect(first[2]?.headers).toEqual({ 'retry-after': '1' })
    const again = await run(operations, 'late')
    expect(again.map(({ status, headers }) => [status, headers?.['idempotent-replayed']])).toEqual([
      [201, 'true'],
      [201, 'true'],
      [201, undefined],
    ])
    for (const slug of slugs) expect(await countOf(slug)).toBe(1)
  })
})

describe('a batch that is sent again while it runs', () => {
  it('starts no operation before the one before has ended', async () => {
    const { id } = await newPost('Before')
    const path = `/admin/posts/${id}`
    const operations = ['Former', 'Latter'].map(title => ({ method: 'PATCH', path, body: { title } }))
    const paused = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'Former' })
    const running = run(operations, 'in order')
    await paused.reached
    const meanwhile = await run(operations, 'in order')
    paused.release()
    expect((await running).map(({ status }) => status)).toEqual([200, 200])
    expect(meanwhile.map(({ status, headers }) => [status, headers?.['retry-after']])).toEqual([
      [409, '1'],
      [503, '1'],
    ])
    expect(await postOf(id)).toMatchObject({ title: 'Latter', version: 3 })
  })
})

describe.each(['before', 'after'] as const)('a batch that is cut off %s the commit of operation', at => {
  it.each([0, 1, 2, 3, 4])('%i does everything once when it is sent again with the same key', async cut => {
    const name = `${at}-${cut}`
    const [changed, published, deleted] = [await newPost('A'), await newPost('B'), await newPost('C')]
    const operations = [
      { method: 'POST', path: '/admin/categories', body: { name, slug: `c-${name}` } },
      createOf(name, name),
      { method: 'PATCH', path: `/admin/posts/${changed.id}`, body: { title: `Changed ${name}` } },
      { method: 'POST', path: `/admin/posts/${published.id}/publish` },
      { method: 'DELETE', path: `/admin/posts/${deleted.id}` },
    ]
    const operation = 'TransactWriteItems'
    // The answer to the commit is lost, or the commit is never made; then everything stands still.
    if (at === 'after') chain.fail({ operation, at, error: 'AccessDeniedException', skips: cut, times: 1 })
    const hang = { operation, at: 'before', error: 'TimeoutError', hangsMs: FOR_EVER_MS } as const
    const fault = chain.fail({ ...hang, times: 1, skips: at === 'before' ? cut : 0 })
    const hangs = until('the batch to hang', () => !fault.isWaiting())
    await Promise.race([send(operations, name), hangs])
    chain.repair()
    chain.clock.nowMs += LEASE_MS + 60_000
    const results = await run(operations, name)
    expect(results.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200])
    expect(await countOf(name)).toBe(1)
    expect(await postOf(changed.id)).toMatchObject({ version: 2 })
    expect(await postOf(published.id)).toMatchObject({ version: 2, status: 'published' })
    expect(await postOf(deleted.id)).toBeUndefined()
    expect((await run(operations, name)).map(({ headers }) => headers?.['idempotent-replayed'])).toEqual(
      Array(5).fill('true'),
    )
  })
})
