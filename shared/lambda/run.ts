// One run of a function: what it counts is written with its last log line.
import { takeTally, withTally } from '../metrics/tally.ts'
import type { Runtime } from '../runtime/runtime.ts'

export function asRun<T>(run: () => T): T {
  return withTally(run)
}

/** The last line of a run without a request, if it counted something. */
export function logRun({ log }: Pick<Runtime, 'log'>): void {
  const tally = takeTally()
  if (Object.keys(tally).length > 0) log('info', 'run', {}, tally)
}
