// Counts the metrics of one run of a function, so that a run writes them in one log line.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { MetricName } from './metrics.ts'

export type Tally = Partial<Record<MetricName, number>>

const tallies = new AsyncLocalStorage<Tally>()

/** Collects what is counted inside `run`. Outside of a run, as in the owner's tools, nothing is counted. */
export function withTally<T>(run: (tally: Tally) => T): T {
  const tally: Tally = {}
  return tallies.run(tally, () => run(tally))
}

export function count(name: MetricName, more = 1): void {
  const tally = tallies.getStore()
  if (tally && more !== 0) tally[name] = (tally[name] ?? 0) + more
}

/** For a state, not a number of events. It is sent if it is not 0, since a metric costs by the hour. */
export function measure(name: MetricName, value: number): void {
  const tally = tallies.getStore()
  if (tally && value !== 0) tally[name] = value
}

/** Returns what was counted in this run since the last call. */
export function takeTally(): Tally {
  const tally = tallies.getStore() ?? {}
  const taken = { ...tally }
  for (const name of Object.keys(taken)) Reflect.deleteProperty(tally, name)
  return taken
}
