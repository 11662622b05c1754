// Acts that go on while something else happens.
import { expect } from 'vitest'
import { until } from '../support/until.ts'

/** Repeats each act until `stop`, which throws if one has failed. Each has run after the last change. */
export function underLoad(acts: Record<string, () => Promise<unknown>>) {
  const failures: unknown[] = []
  const counts: Record<string, number> = {}
  let isOver = false
  const loops = Object.entries(acts).map(async ([name, act]) => {
    while (!isOver) {
      await act().catch(error => failures.push([name, error]))
      counts[name] = (counts[name] ?? 0) + 1
    }
  })
  /** Waits until each act has run twice from its beginning. */
  const round = async () => {
    const before = { ...counts }
    await until('a round of the load', () =>
      Object.keys(acts).every(name => (counts[name] ?? 0) >= (before[name] ?? 0) + 2),
    )
  }
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
    expect(failures).toEqual([])
  }
  return { round, stop }
}
