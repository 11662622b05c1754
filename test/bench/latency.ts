// How much longer calls take in the benchmark than with the emulators alone.
import { openLatencies } from '../../infra/local/faults/latency.ts'
import type { Delay } from './traffic.ts'

/** Longer than any function needs to make its next concurrent call, so that rounds can be told apart. */
const HELD_MS = 20

export const DELAYS = { none: () => 0, held: () => HELD_MS, aws: awsLatency(1) } satisfies Record<
  string,
  Delay
>
export type DelayName = keyof typeof DELAYS

/** The same seed repeats the same delays. */
function awsLatency(seed: number): Delay {
  const latencyOf = openLatencies(seed)
  return call => latencyOf(call) ?? 0
}
