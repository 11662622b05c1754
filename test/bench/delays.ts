// How long the calls of functions take while the benchmark measures, by name.
import { openLatencies } from '../world/faults/latency.ts'
import type { Delay } from './traffic.ts'

/** Longer than a function needs for its next concurrent call, so that both overlap. */
const HELD_MS = 50

const latencyOf = openLatencies(1)

export const DELAYS = {
  none: () => 0,
  held: () => HELD_MS,
  aws: call => latencyOf(call) ?? 0,
} satisfies Record<string, Delay>
export type DelayName = keyof typeof DELAYS
