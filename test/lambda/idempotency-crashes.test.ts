// An Idempotency-Key and crashes at every point: a request acts once, and its answer is never lost.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createCategory } from '../../shared/categories/commands.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { listCategories } from '../../shared/categories/store.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { reply } from '../../shared/http/reply.ts'
import type { Handlers } from '../../shared/lambda/handler.ts'
import { sweepBlobs } from '../../shared/table/blob.ts'
import { idempotencyKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openChain } from '../support/chain.ts'
import { noise } from '../support/noise.ts'
import { until } from '../support/until.ts'
import { use } from '../support/use.ts'

const chain = use(openChain)
let userId: number
let token: string
beforeAll(async () => {
  const user = await chain.user(['admin'])
  userId = user.id
  token = user.token
})
afterEach(() => chain.repair())

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const { createCategory: createEndpoint } = adminCategories

/** A new category name and a request with a new key, for each test. */
let name: string
let request: { token: string; body: { name: string; description?: string }; headers: Record<string, string> }
beforeEach(() => {
  // Keeps requests below the rate limits.
  chain.clock.nowMs += MINUTE_MS
  name = randomUUID()
  request = { token, body: { name }, headers: { 'Idempotency-Key': randomUUID() } }
})
async function countCreated() {
  return (await listCategories(chain.table)).filter(category => category.name === name).length
}

function findKey() {
  return chain.table.find(idempotencyKey(userId, request.headers['Idempotency-Key'] ?? ''), z.looseObject({}))
}

type Create = Handlers<Pick<typeof adminCategories, 'createCategory'>>['createCategory']

function openFunction(create: Create = ({ body, work }) => createCategory(work, body)) {
  return chain.open({ createCategory: createEndpoint }, { createCategory: create })
}

function openDead() {
  return openFunction(() => new Promise(() => undefined))
}

describe('a request with an Idempotency-Key', () => {
  it('runs half a minute after a first attempt died before its commit', async () => {
    void openDead()(createEndpoint, request)
    await until('the key to be taken', findKey)
    expect(await countCreated()).toBe(0)
    chain.clock.nowMs += 29_000
    expect((await openFunction()(createEndpoint, request)).headers['Retry-After']).toBe('1')
    chain.clock.nowMs += 1_000
    expect((await openFunction()(createEndpoint, request)).status).toBe(201)
    expect(await countCreated()).toBe(1)
  })

  it('runs after a first attempt died whose clock was an hour ahead', async () => {
    chain.clock.nowMs += 3_600_000
    void openDead()(createEndpoint, request)
    await until('the key to be taken', findKey)
    chain.clock.nowMs -= 3_600_000
    expect((await openFunction()(createEndpoint, request)).status).toBe(201)
  })

  it('cannot commit after a second attempt has taken over its key', async () => {
    const held = Promise.withResolvers<void>()
    const late = openFunction(async ({ body, work }) => {
      await held.promise
      return await createCategory(work, body)
    })
    const first = late(createEndpoint, request)
    await until('the key to be taken', findKey)
    chain.clock.nowMs += 30_000
    const second = await openFunction()(createEndpoint, request)
    held.resolve()

    expect((await first).code).toBe('INTERNAL_ERROR')
    expect(await countCreated()).toBe(1)
    expect((await openFunction()(createEndpoint, request)).text).toBe(second.text)
  })
})

describe('an idempotency key', () => {
  it('belongs to the request although the answer to its write was lost', async () => {
    const toKeys = { operation: 'PutItem', mentions: 'IDEMPOTENCY#' }
    chain.fail({ ...toKeys, at: 'after', error: 'TimeoutError', times: 1 })
    expect((await openFunction()(createEndpoint, request)).status).toBe(201)
    expect((await openFunction()(createEndpoint, request)).headers['Idempotent-Replayed']).toBe('true')
    expect(await countCreated()).toBe(1)
  })

  it('does not affect the answer of a failure when it cannot be freed, and is free after its lease', async () => {
    const refusing = openFunction(async () => Promise.reject(new ApiError('NOT_FOUND', 'Not found.')))
    const toKeys = { operation: 'DeleteItem', mentions: 'IDEMPOTENCY#' }
    chain.fail({ ...toKeys, at: 'before', error: 'AccessDeniedException' })
    expect((await refusing(createEndpoint, request)).status).toBe(404)
    chain.repair()
    expect((await openFunction()(createEndpoint, request)).code).toBe('IDEMPOTENCY_CONFLICT')
    chain.clock.nowMs += 30_000
    expect((await openFunction()(createEndpoint, request)).status).toBe(201)
  })

  it('is valid for a day to the second, even for an answer too large for one item', async () => {
    const description = noise(800_000)
    const shown = { id: 1, name, slug: 'large', description, posts_count: 0 }
    let runs = 0
    const large = openFunction(async () => {
      runs++
      return reply(shown)
    })
    const first = await large(createEndpoint, request)
    // The last moment of the second in which the record expires.
    chain.clock.nowMs += DAY_MS + 700
    await sweepBlobs(chain.table, chain.clock.nowMs, 100)
    const last = await large(createEndpoint, request)
    expect([last.text === first.text, last.headers['Idempotent-Replayed'], runs]).toEqual([true, 'true', 1])

    chain.clock.nowMs += 1_000
    const next = await large(createEndpoint, request)
    expect([next.status, next.headers['Idempotent-Replayed'], runs]).toEqual([201, undefined, 2])
    chain.clock.nowMs += DAY_MS + MINUTE_MS
    expect(await sweepBlobs(chain.table, chain.clock.nowMs, 100)).toBeGreaterThan(0)
  })
})

describe('an action without a transaction', () => {
  const { testWebhook } = adminWebhooks
  /** The action ends after `end`. */
  const openPing = (end: Promise<unknown> = Promise.resolve()) => {
    const pings: number[] = []
    const call = chain.open(
      { testWebhook },
      {
        testWebhook: async () => {
          pings.push(chain.clock.nowMs)
          await end
          return reply({ delivered: true as const, response_status: 200, duration_ms: 1 })
        },
      },
    )
    const ask = { token, params: { id: 1 }, headers: { 'Idempotency-Key': randomUUID() } }
    return { pings, call: () => call(testWebhook, ask) }
  }

  it('is done once for concurrent requests with the same key', async () => {
    const othersAnswered = Promise.withResolvers<void>()
    const { pings, call } = openPing(othersAnswered.promise)
    let conflicts = 0
    const callOnce = async () => {
      const { status } = await call()
      if (status === 409 && ++conflicts === 9) othersAnswered.resolve()
      return status
    }
    const statuses = await Promise.all(Array.from({ length: 10 }, callOnce))
    expect(pings).toHaveLength(1)
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  })

  it('is answered although the answer could not be stored, and is not repeated immediately', async () => {
    const { pings, call } = openPing()
    chain.fail({ operation: 'TransactWriteItems', at: 'before', error: 'AccessDeniedException' })
    expect((await call()).status).toBe(200)
    chain.repair()
    expect((await call()).code).toBe('IDEMPOTENCY_CONFLICT')
    expect(pings).toHaveLength(1)
  })
})
