// An Idempotency-Key through everything that can break between two lines: never two, and never none that was promised.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { listCategories } from '../../shared/categories/store/categories.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { reply } from '../../shared/http/reply.ts'
import { sweepBlobs } from '../../shared/table/blob.ts'
import { idempotencyKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { type Chain, openChain } from '../world/chain.ts'
import { until } from '../world/until.ts'

let chain: Chain
let userId: number
let token: string
beforeAll(async () => {
  chain = await openChain()
  const user = await chain.user(['admin'])
  userId = user.id
  token = user.token
})
afterAll(() => chain.stop())
afterEach(() => chain.repair())

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const { createCategory: creating } = adminCategories

/** A name and a key of its own, and how many categories there are of that name. */
let name: string
let asked: { token: string; body: { name: string; description?: string }; headers: Record<string, string> }
beforeEach(() => {
  // Limits are not what these tests are about.
  chain.clock.nowMs += MINUTE_MS
  name = randomUUID()
  asked = { token, body: { name }, headers: { 'Idempotency-Key': randomUUID() } }
})
async function made() {
  return (await listCategories(chain.table)).filter(one => one.name === name).length
}

function isTaken() {
  return chain.table.find(idempotencyKey(userId, asked.headers['Idempotency-Key'] ?? ''), z.looseObject({}))
}

function alive() {
  return chain.open(
    { createCategory: creating },
    { createCategory: ({ body, work }) => createCategory(work, body) },
  )
}

describe('a function that dies', () => {
  it('before it commits: the key is taken for half a minute, then the request runs', async () => {
    const dead = chain.open(
      { createCategory: creating },
      { createCategory: () => new Promise(() => undefined) },
    )
    void dead(creating, asked)
    await until('the key to be taken', isTaken)
    expect(await made()).toBe(0)
    chain.clock.nowMs += 29_000
    expect((await alive()(creating, asked)).headers['Retry-After']).toBe('1')
    chain.clock.nowMs += 1_000
    expect((await alive()(creating, asked)).status).toBe(201)
    expect(await made()).toBe(1)
  })

  it('and comes back after another took over: what it still had to write is refused', async () => {
    const held = Promise.withResolvers<void>()
    const late = chain.open(
      { createCategory: creating },
      {
        createCategory: async ({ body, work }) => {
          await held.promise
          return await createCategory(work, body)
        },
      },
    )
    const first = late(creating, asked)
    await until('the key to be taken', isTaken)
    chain.clock.nowMs += 30_000
    const second = await alive()(creating, asked)
    held.resolve()

    expect((await first).code).toBe('INTERNAL_ERROR')
    expect(await made()).toBe(1)
    expect((await alive()(creating, asked)).text).toBe(second.text)
  })

  it('after it committed: a repeat gets the answer that nobody saw', async () => {
    chain.fail({ operation: 'TransactWriteItems', at: 'after', error: 'AccessDeniedException' })
    expect((await alive()(creating, asked)).status).toBe(500)
    chain.repair()
    const again = await alive()(creating, asked)
    expect([again.status, again.headers['Idempotent-Replayed']]).toEqual([201, 'true'])
    expect(await made()).toBe(1)
  })
})

describe('a key', () => {
  it('whose taking lost its answer belongs to the request all the same', async () => {
    chain.fail({
      operation: 'PutItem',
      mentions: 'IDEMPOTENCY#',
      at: 'after',
      error: 'TimeoutError',
      times: 1,
    })
    expect((await alive()(creating, asked)).status).toBe(201)
    expect((await alive()(creating, asked)).headers['Idempotent-Replayed']).toBe('true')
    expect(await made()).toBe(1)
  })

  it('that cannot be freed after a failure changes nothing of its answer, and is free when its lease ends', async () => {
    const refusing = chain.open(
      { createCategory: creating },
      { createCategory: async () => Promise.reject(new ApiError('NOT_FOUND', 'Not found.')) },
    )
    chain.fail({
      operation: 'DeleteItem',
      mentions: 'IDEMPOTENCY#',
      at: 'before',
      error: 'AccessDeniedException',
    })
    expect((await refusing(creating, asked)).status).toBe(404)
    chain.repair()
    expect((await alive()(creating, asked)).code).toBe('IDEMPOTENCY_CONFLICT')
    chain.clock.nowMs += 30_000
    expect((await alive()(creating, asked)).status).toBe(201)
  })

  it('is good for a day, to the last second, also for an answer too large for one item', async () => {
    const description = randomBytes(600_000).toString('base64')
    const shown = { id: 1, name, slug: 'large', description, posts_count: 0 }
    let runs = 0
    const large = chain.open(
      { createCategory: creating },
      {
        createCategory: async () => {
          runs++
          return reply(shown)
        },
      },
    )
    const first = await large(creating, asked)
    // The last moment of the second in which the record ends.
    chain.clock.nowMs += DAY_MS + 700
    await sweepBlobs(chain.table, chain.clock.nowMs, 100)
    const last = await large(creating, asked)
    expect([last.text === first.text, last.headers['Idempotent-Replayed'], runs]).toEqual([true, 'true', 1])

    chain.clock.nowMs += 1_000
    const next = await large(creating, asked)
    expect([next.status, next.headers['Idempotent-Replayed'], runs]).toEqual([201, undefined, 2])
    chain.clock.nowMs += DAY_MS + MINUTE_MS
    expect(await sweepBlobs(chain.table, chain.clock.nowMs, 100)).toBeGreaterThan(0)
  })
})

describe('an act outside a transaction', () => {
  const { testWebhook } = adminWebhooks
  const pinging = () => {
    const pings: number[] = []
    const call = chain.open(
      { testWebhook },
      {
        testWebhook: async () => {
          pings.push(chain.clock.nowMs)
          return reply({ delivered: true as const, response_status: 200, duration_ms: 1 })
        },
      },
    )
    const ask = { token, params: { id: 1 }, headers: asked.headers }
    return { pings, call: () => call(testWebhook, ask) }
  }

  it('is done once for all who ask at once', async () => {
    const { pings, call } = pinging()
    const answers = await Promise.all(Array.from({ length: 10 }, call))
    expect(pings).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  })

  it('is answered though its answer could not be kept, and is not done again at once', async () => {
    const { pings, call } = pinging()
    chain.fail({ operation: 'TransactWriteItems', at: 'before', error: 'AccessDeniedException' })
    expect((await call()).status).toBe(200)
    chain.repair()
    expect((await call()).code).toBe('IDEMPOTENCY_CONFLICT')
    expect(pings).toHaveLength(1)
  })
})
