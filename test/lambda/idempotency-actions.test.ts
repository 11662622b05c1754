// An Idempotency-Key of an action that writes nothing: it is done once, even if its answer is not stored.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { reply } from '../../shared/http/reply.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openChain } from '../world/chain.ts'
import { use } from '../world/use.ts'

const chain = use(openChain)
let token: string
beforeAll(async () => {
  token = (await chain.user(['admin'])).token
})
afterEach(() => chain.repair())

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
