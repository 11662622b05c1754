// An interceptor under which each call of a function takes as long as in a region of AWS.
import { setTimeout as pause } from 'node:timers/promises'
import { isTransaction } from './bodies.ts'
import type { Call, Interceptor } from './call.ts'
import { chance } from './chance.ts'

/** Milliseconds at the start of the distribution, at its percentiles 50, 90 and 99, and at its end. */
type Percentiles = readonly [least: number, p50: number, p90: number, p99: number, most: number]

const SHARES = [0, 0.5, 0.9, 0.99, 1] as const

/**
 * Calls from a function to the service in its own region, with signing and an open connection. Estimates for
 * items of some KB, from these sources; the metrics of a deployed stage show its own.
 */
export const LATENCIES_MS = {
  /**
   * Single-digit milliseconds on average, and single calls that take longer:
   * https://repost.aws/knowledge-center/dynamodb-high-latency
   */
  table: [3, 5, 8, 16, 60],
  /**
   * Two phases, so more than twice a single write:
   * https://www.alexdebrie.com/posts/dynamodb-transactions-performance/
   */
  transaction: [8, 13, 20, 40, 120],
  /**
   * A message takes 16 ms from the sender to the function that receives it at the median, and 105 ms at p99:
   * https://bitesizedserverless.com/bite/serverless-messaging-latency-compared/
   */
  queue: [6, 11, 18, 50, 150],
} satisfies Record<string, Percentiles>

/** The time that a call takes; undefined for mails, of which nothing waits. The same seed repeats them. */
export function openLatencies(seed: number): (call: Call) => number | undefined {
  const counts = new Map<string, number>()
  return call => {
    const kind = kindOf(call)
    if (!kind) return undefined
    const nth = (counts.get(kind) ?? 0) + 1
    counts.set(kind, nth)
    return valueAt(LATENCIES_MS[kind], chance(seed, `latency ${kind} ${nth}`))
  }
}

/** Delays the answers of calls that the emulator answers sooner. Calls of other callers are not delayed. */
export function createLatency(wait: (ms: number) => Promise<unknown> = pause): Interceptor {
  const latencyOf = openLatencies(1)
  return async (call, next) => {
    const ms = call.session === '' ? undefined : latencyOf(call)
    if (ms === undefined) return await next(call)
    const [answer] = await Promise.allSettled([next(call), wait(ms)])
    if (answer.status === 'fulfilled') return answer.value
    throw answer.reason
  }
}

function kindOf(call: Call): keyof typeof LATENCIES_MS | undefined {
  if (call.service === 'ses') return undefined
  if (call.service === 'sqs') return 'queue'
  return isTransaction(call) || call.operation === 'TransactGetItems' ? 'transaction' : 'table'
}

/** The value at this share of the distribution, which is linear between its percentiles. */
function valueAt(percentiles: Percentiles, share: number): number {
  const upper = Math.max(
    1,
    SHARES.findIndex(limit => share < limit),
  )
  const [from = 0, to = 1] = [SHARES[upper - 1], SHARES[upper]]
  const [low = 0, high = 0] = [percentiles[upper - 1], percentiles[upper]]
  return low + ((share - from) / (to - from)) * (high - low)
}
