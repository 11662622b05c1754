// Faults in the transaction of a write: the caller gets a correct answer, and events fire once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { type Chain, callOf, openChain, type Result } from '../world/chain.ts'
import type { Interceptor } from '../world/faults/call-proxy.ts'
import { createFaultInjector, FAULT_KINDS, type FaultName } from '../world/faults/faults.ts'

const posts = callOf((await import('../../functions/admin.ts')).handler)
const own = callOf((await import('../../functions/me.ts')).handler)

let injected: { interceptor: Interceptor; left: number } | undefined

/** Makes the next transactions fail with a fault of this kind. */
function injectFault(kind: FaultName, times = 1) {
  const interceptor = createFaultInjector({
    seed: 1,
    kinds: [kind],
    scale: 1_000 / FAULT_KINDS[kind].perMille,
  })
  injected = { interceptor, left: times }
}

let chain: Chain
let token: string
beforeAll(async () => {
  const interceptor: Interceptor = (call, next, crash) => {
    if (!injected || injected.left === 0 || call.operation !== 'TransactWriteItems') return next(call)
    injected.left--
    return injected.interceptor(call, next, crash)
  }
  chain = await openChain({ LIMIT_SCALE: '1000000' }, interceptor)
  setRuntime(chain.runtime)
  token = (await chain.user(['admin', 'user'])).token
})
afterAll(() => chain.stop())
beforeEach(() => {
  injected = undefined
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

function eventsOf(id: number) {
  return chain.sent.filter(({ body }) => 'event' in body && 'data' in body && Object(body.data).id === id)
}

describe('POST /api/v1/admin/posts/{id}/publish', () => {
  it.each([
    ['conflict', 4],
    ['throttled', 4],
    ['failed', 2],
    ['lost', 2],
  ] as const)('publishes once and fires one event after the fault "%s" %i times', async (kind, times) => {
    const { id } = await draft()
    injectFault(kind, times)
    expect((await publish(id)).status).toBe(200)
    expect(injected?.left).toBe(0)
    expect(await get(id)).toMatchObject({ version: 2, is_published: true })
    expect(eventsOf(id)).toHaveLength(1)
  })

  it('returns 503 if it cannot find out whether it published, and a repeated request changes nothing more', async () => {
    const { id } = await draft()
    injectFault('lost', 3)
    expect(await publish(id)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect((await publish(id)).status).toBe(200)
    expect(await get(id)).toMatchObject({ version: 2, is_published: true })
  })
})

describe('POST /api/v1/admin/posts', () => {
  it('creates one post even if the answers of its transaction are lost', async () => {
    injectFault('lost', 2)
    const { slug } = await draft()
    const { text } = await posts(adminPosts.listPosts, { token, query: { slug } })
    expect(JSON.parse(text).pagination.total).toBe(1)
  })
})

describe('DELETE /api/v1/me/tokens/{id}', () => {
  it('returns 200 if the answer of the transaction that deleted the token is lost', async () => {
    const body = { name: 'short', abilities: ['user'] }
    const { id } = dataOf(await own(me.createToken, { token, body }))
    injectFault('lost')
    expect((await own(me.deleteToken, { token, params: { id } })).status).toBe(200)
    expect((await own(me.deleteToken, { token, params: { id } })).status).toBe(404)
  })
})
