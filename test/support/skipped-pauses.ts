// Skips the pauses of `node:timers/promises`: waiting only advances `performance.now()`.
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterAll, beforeAll, vi } from 'vitest'

/** Holds for all tests of a file. */
export function skipPauses(): void {
  const { setTimeout } = timers
  const sinceStartMs = performance.now.bind(performance)
  let skippedMs = 0
  const skip = (ms: number, value: unknown) => {
    skippedMs += ms
    return new Promise(resolve => setImmediate(resolve, value))
  }
  beforeAll(() => {
    Object.assign(timers, { setTimeout: skip })
    syncBuiltinESMExports()
    vi.spyOn(performance, 'now').mockImplementation(() => sinceStartMs() + skippedMs)
  })
  afterAll(() => {
    Object.assign(timers, { setTimeout })
    syncBuiltinESMExports()
    vi.restoreAllMocks()
  })
}
