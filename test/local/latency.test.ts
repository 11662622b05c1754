// Latencies of AWS: their distribution, and which calls they delay.
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import type { Call } from '../world/faults/call.ts'
import { createLatency, LATENCIES_MS, openLatencies } from '../world/faults/latency.ts'
import { use } from '../world/use.ts'
import { itemOf, openFaultWorld } from './fault-world.ts'

const world = use(openFaultWorld)

const SAMPLES = 4_000
/** The share of values that may lie on the other side of a percentile by chance. */
const TOLERANCE = 0.03

function callOf(service: Call['service'], operation: string): Call {
  const rest = { accessKeyId: 'Function', session: 'a worker', method: 'POST', path: '/', headers: {} }
  return { service, operation, ...rest, body: Buffer.alloc(0) }
}

const CALLS = {
  table: callOf('dynamodb', 'GetItem'),
  transaction: callOf('dynamodb', 'TransactWriteItems'),
  queue: callOf('sqs', 'SendMessageBatch'),
}

/** A latency interceptor that records its waits instead of waiting. */
function recorded() {
  const waits: number[] = []
  const interceptor = createLatency(async ms => {
    waits.push(ms)
  })
  return { waits, interceptor }
}

describe('openLatencies', () => {
  it.each(['table', 'transaction', 'queue'] as const)(
    'gives each %s call a latency with the percentiles of the table',
    kind => {
      const latencyOf = openLatencies(7)
      const values = Array.from({ length: SAMPLES }, () => latencyOf(CALLS[kind]) ?? 0)
      const [least, p50, p90, p99, most] = LATENCIES_MS[kind]
      const shareBelow = (limit: number) => values.filter(value => value < limit).length / SAMPLES
      expect(Math.abs(shareBelow(p50) - 0.5)).toBeLessThan(TOLERANCE)
      expect(Math.abs(shareBelow(p90) - 0.9)).toBeLessThan(TOLERANCE)
      expect(Math.abs(shareBelow(p99) - 0.99)).toBeLessThan(TOLERANCE)
      expect([shareBelow(least), shareBelow(most)]).toEqual([0, 1])
    },
  )

  it('repeats the latencies of the same seed', () => {
    const of = (seed: number) => {
      const latencyOf = openLatencies(seed)
      return Array.from({ length: 20 }, () => latencyOf(CALLS.table))
    }
    expect(of(3)).toEqual(of(3))
    expect(of(3)).not.toEqual(of(4))
  })
})

describe('a call of a function', () => {
  it('waits once for each call of table, transaction and queue, and returns its answer', async () => {
    const { waits, interceptor } = recorded()
    const { table, sendMessages, depth } = await world.behind(interceptor)
    await table.send(world.put('a'))
    await table.send(world.puts(['b', 'c']))
    await sendMessages(['message'])
    const Key = itemOf('b')
    const { Item } = await table.send(new GetItemCommand({ TableName: world.TableName, Key }))
    expect(Item).toEqual(Key)
    expect(depth().visible).toBe(1)
    const least = [LATENCIES_MS.table, LATENCIES_MS.transaction, LATENCIES_MS.queue, LATENCIES_MS.table]
    expect(waits).toHaveLength(least.length)
    for (const [n, [limit]] of least.entries()) expect(waits[n]).toBeGreaterThanOrEqual(limit)
  })

  it('never takes less than the least latency', async () => {
    const { table } = await world.behind(createLatency())
    const startedMs = performance.now()
    for (let n = 0; n < 10; n++) await table.send(world.put('slow'))
    // A timer may fire up to a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(10 * (LATENCIES_MS.table[0] - 1))
  })

  it('fails as without a latency', async () => {
    const { waits, interceptor } = recorded()
    const failing = interceptor(
      CALLS.table,
      () => Promise.reject(new Error('lost')),
      () => undefined,
    )
    await expect(failing).rejects.toThrow('lost')
    expect(waits).toHaveLength(1)
  })
})

describe('a call of another caller', () => {
  it('is not delayed, and neither is a mail', async () => {
    const { waits, interceptor } = recorded()
    const { table } = await world.behind(interceptor, '')
    await table.send(world.put('owner'))
    const mail = await interceptor(
      callOf('ses', 'SendEmail'),
      async () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }),
      () => undefined,
    )
    expect(mail.status).toBe(200)
    expect(waits).toEqual([])
  })
})
