// How long calls take in a region of AWS, between a function and the services beside it.
import type { Call } from '../../infra/local/faults/call.ts'
import { randomOf } from './random.ts'
import type { Delay } from './traffic.ts'

/** Medians in milliseconds. */
const TABLE_MS = 5
const TRANSACTION_MS = 13
const QUEUE_MS = 11
/** The logarithm's standard deviation: the 99th percentile takes 2.5 times as long as the median. */
const SPREAD = 0.4

/** Longer than any function needs to make its next concurrent call, so that rounds can be told apart. */
const HELD_MS = 20

export const DELAYS = { none: () => 0, held: () => HELD_MS, aws: awsLatency(1) } satisfies Record<
  string,
  Delay
>
export type DelayName = keyof typeof DELAYS

/** The same seed repeats the same delays. */
function awsLatency(seed: number): Delay {
  const random = randomOf(seed, 0)
  return call => {
    // A normal variable, by Box and Muller.
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    return medianMs(call) * Math.exp(SPREAD * normal)
  }
}

function medianMs({ service, operation }: Call): number {
  if (service !== 'dynamodb') return QUEUE_MS
  return operation.startsWith('Transact') ? TRANSACTION_MS : TABLE_MS
}
