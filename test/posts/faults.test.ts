// One fault in the transaction of a write: its caller is told what became of it, and it is told to others once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Interceptor } from '../../infra/local/faults/call.ts'
import { FAULT_KINDS, type FaultName } from '../../infra/local/faults/fault-kinds.ts'
import { createFaultInjector } from '../../infra/local/faults/faults.ts'
import { me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { type Chain, callOf, openChain, type Result } from '../world/chain.ts'
import { openIntercepted } from '../world/intercepted.ts'

const posts = callOf((await import('../../functions/admin-posts.ts')).handler)
const own = callOf((await import('../../functions/me.ts')).handler)

/** The next transactions, as many as said, are hit by this kind; everything else is let through. */
let hitting: { interceptor: Interceptor; left: number } | undefined
function hit(kind: FaultName, times = 1) {
  const interceptor = createFaultInjector({
    seed: 1,
    kinds: [kind],
    scale: 1_000 / FAULT_KINDS[kind].perMille,
  })
  hitting = { interceptor, left: times }
}

let chain: Chain
let token: string
beforeAll(async () => {
  const interceptor: Interceptor = (call, next, crash) => {
    if (!hitting || hitting.left === 0 || call.operation !== 'TransactWriteItems') return next(call)
    hitting.left--
    return hitting.interceptor(call, next, crash)
  }
  chain = await openChain({ LIMIT_SCALE: '1000000' }, endpoint => openIntercepted(endpoint, [interceptor]))
  setRuntime(chain.runtime)
  token = (await chain.user(['admin', 'user'])).token
})
afterAll(() => chain.stop())
beforeEach(() => {
  hitting = undefined
  chain.sent.splice(0)
})

function dataOf({ text }: Result) {
  return JSON.parse(text).data
}

async function draft() {
  return dataOf(await posts(adminPosts.createPost, { token, body: { title: 'A draft' } }))
}

async function get(id: number) {
  return dataOf(await posts(adminPosts.getPost, { token, params: { id } }))
}

function publish(id: number) {
  return posts(adminPosts.publishPost, { token, params: { id } })
}

function toldOf(id: number) {
  return chain.sent.filter(({ body }) => 'event' in body && 'data' in body && Object(body.data).id === id)
}

describe('a publish', () => {
  it.each([
    ['conflict', 4],
    ['throttled', 4],
    ['failed', 2],
    ['lost', 2],
  ] as const)('whose transaction meets %s %i times is done once and told once', async (kind, times) => {
    const { id } = await draft()
    hit(kind, times)
    expect((await publish(id)).status).toBe(200)
    expect(hitting?.left).toBe(0)
    expect(await get(id)).toMatchObject({ version: 2, is_published: true })
    expect(toldOf(id)).toHaveLength(1)
  })

  it('of which nobody knows whether it was done says so; asked again, it changes nothing more', async () => {
    const { id } = await draft()
    hit('lost', 3)
    expect(await publish(id)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect((await publish(id)).status).toBe(200)
    expect(await get(id)).toMatchObject({ version: 2, is_published: true })
  })
})

describe('a post that is made', () => {
  it('is one, though the answer of its transaction is lost', async () => {
    hit('lost', 2)
    const made = await draft()
    const { text } = await posts(adminPosts.listPosts, { token, query: { slug: made.slug } })
    expect(JSON.parse(text).pagination.total).toBe(1)
  })
})

describe('DELETE /api/v1/me/tokens/{id}', () => {
  it('is no 404 for the token that it has just deleted itself', async () => {
    const body = { name: 'short', abilities: ['user'] }
    const { id } = dataOf(await own(me.createToken, { token, body }))
    hit('lost')
    expect((await own(me.deleteToken, { token, params: { id } })).status).toBe(200)
    expect((await own(me.deleteToken, { token, params: { id } })).status).toBe(404)
  })
})
