// One run of a function: what it counts is written with its last log line.
import { count, takeTally, withTally } from '../metrics/tally.ts'
import { isLambda, type Runtime } from '../runtime/runtime.ts'

let isCold = isLambda()

export function asRun<T>(run: () => T): T {
  return withTally(() => {
    if (isCold) count('ColdStarts')
    isCold = false
    return run()
  })
}

/** The last line of a run without a request, if it counted something. */
export function logRun({ log }: Pick<Runtime, 'log'>): void {
  const tally = takeTally()
  if (Object.keys(tally).length > 0) log('info', 'run', {}, tally)
}
