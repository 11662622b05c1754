// The log of the functions: one JSON object per line, which CloudWatch can query.
import { embedded } from '../metrics/embedded.ts'
import type { Tally } from '../metrics/tally.ts'

/** `debug` is for failures that are retried. */
export type Level = 'debug' | 'info' | 'warn' | 'error'
/** The last line of a run has its tally, from which CloudWatch reads the metrics. */
export type Log = (level: Level, message: string, details?: Record<string, unknown>, tally?: Tally) => void

type LogOptions = {
  /** Of the metrics. */
  namespace: string
  clock: () => number
}

export function openLog({ namespace, clock }: LogOptions): Log {
  return (level, message, details = {}, tally = {}) =>
    write({ level, message, ...details, ...embedded(tally, namespace, clock()) })
}

/** For functions without a runtime. */
export const log: Log = (level, message, details = {}) => write({ level, message, ...details })

/** Not by `console.log`, because Lambda puts a time and an id before its lines: then they are no JSON. */
function write(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
