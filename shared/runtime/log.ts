// The log of the functions: one JSON object per line, which CloudWatch can query.
import type { Tally } from '../metrics/tally.ts'
import { LEVELS, type Level } from './parameters.ts'

/** The last line of a run has its tally, from which CloudWatch reads the metrics. */
export type Log = (level: Level, message: string, details?: Record<string, unknown>, tally?: Tally) => void

type LogOptions = {
  /** The namespace of the metrics. */
  namespace: string
  clock: () => number
  /** Lines below this level are dropped, but for those with metrics. */
  minimum?: Level
}

export function openLog({ namespace, clock, minimum = 'debug' }: LogOptions): Log {
  const lowest = LEVELS.indexOf(minimum)
  return (level, message, details = {}, tally = {}) => {
    const metrics = embedded(tally, namespace, clock())
    if (LEVELS.indexOf(level) < lowest && !('_aws' in metrics)) return
    write({ level, message, ...details, ...metrics })
  }
}

/** For functions without a runtime. */
export const log: Log = (level, message, details = {}) => write({ level, message, ...details })

/** Not by `console.log`, because Lambda puts a time and an id before its lines: then they are no JSON. */
function write(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** The stack of an error and of everything that caused it. */
export function described(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem)
  const own = problem.stack ?? problem.message
  return problem.cause === undefined ? own : `${own}\nCaused by: ${described(problem.cause)}`
}

/** By the end of its name, so that no function loads the texts of the metrics. */
function unitOf(name: string): 'Seconds' | 'Count' {
  return name.endsWith('Seconds') ? 'Seconds' : 'Count'
}

/** The members that make a log line one with metrics; none without metrics. */
export function embedded(tally: Tally, namespace: string, nowMs: number): Record<string, unknown> {
  const names = Object.keys(tally)
  if (names.length === 0) return {}
  const metrics = names.map(name => ({ Name: name, Unit: unitOf(name) }))
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: metrics }
  return { _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] }, ...tally }
}
