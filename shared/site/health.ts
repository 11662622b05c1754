// The checks of `GET /health?deep=1`: what they report of each part of the service, and when one fails. No
// I/O.
import * as z from 'zod/mini'
import { members } from '../http/members.ts'
import { isoTime, Time } from '../http/time.ts'

const CHECK = {
  ok: [z.boolean(), 'False if the part is not well.'],
  problem: [z.optional(z.string()), 'What is wrong, in words. Only if the part is not well.'],
} as const
type Check = { ok: boolean; problem?: string | undefined }

const TableCheck = members({
  ...CHECK,
  latency_ms: [z.nullable(z.int()), 'Milliseconds of one read; null if the table did not answer.'],
})
const SweepCheck = members({
  ...CHECK,
  last_at: [z.nullable(Time), 'When it last ended well, in UTC; null if it never did or is unknown.'],
})
const OutboxCheck = members({
  ...CHECK,
  oldest_seconds: [
    z.nullable(z.int()),
    'Age of the oldest message in seconds; null if there is none or it is unknown.',
  ],
  waiting: [z.nullable(z.int()), 'Number of messages; null if it is unknown.'],
})

export const HealthChecks = members({
  table: [TableCheck, 'The database.'],
  sweep: [SweepCheck, 'The job that repairs and publishes, once a minute.'],
  outbox: [OutboxCheck, 'Messages that are not in a queue a minute after they were written.'],
})
export type HealthChecks = z.infer<typeof HealthChecks>

/** A part is undefined if it did not answer in time. */
export type Measurements = {
  nowMs: number
  tableMs: number | undefined
  /** `lastRunMs`: when the sweep last ended well; undefined before that. */
  sweep: { lastRunMs: number | undefined } | undefined
  outbox: { oldestMs: number | undefined; waiting: number } | undefined
}

/** The sweep runs every minute, and may miss one or two runs. */
const LATE_SWEEP_MS = 180_000
/** A row is swept after a minute, by the next run. */
const OLDEST_ROW_SECONDS = 150

const NO_ANSWER = 'Does not answer.'

export function checksOf(measurements: Measurements): HealthChecks {
  const { tableMs } = measurements
  return {
    table: { ...check(tableMs === undefined && NO_ANSWER), latency_ms: tableMs ?? null },
    sweep: sweepCheck(measurements),
    outbox: outboxCheck(measurements),
  }
}

export function isWell(checks: HealthChecks): boolean {
  return Object.values(checks).every(({ ok }) => ok)
}

function check(problem: string | false): Check {
  return problem === false ? { ok: true } : { ok: false, problem }
}

function sweepCheck({ sweep, nowMs }: Measurements): HealthChecks['sweep'] {
  if (!sweep) return { ...check(NO_ANSWER), last_at: null }
  const { lastRunMs } = sweep
  if (lastRunMs === undefined) return { ...check('Has never ended well.'), last_at: null }
  const isLate = nowMs - lastRunMs > LATE_SWEEP_MS
  return {
    ...check(isLate && 'Has not ended well for more than three minutes. See its log.'),
    last_at: isoTime(Math.floor(lastRunMs / 1000)),
  }
}

function outboxCheck({ outbox, nowMs }: Measurements): HealthChecks['outbox'] {
  if (!outbox) return { ...check(NO_ANSWER), oldest_seconds: null, waiting: null }
  const { oldestMs, waiting } = outbox
  const seconds = oldestMs === undefined ? null : Math.max(0, Math.floor((nowMs - oldestMs) / 1000))
  const late = seconds !== null && seconds > OLDEST_ROW_SECONDS
  return {
    ...check(
      late && `A message has been waiting for ${seconds} s: its queue rejects it, or the sweep does not run.`,
    ),
    oldest_seconds: seconds,
    waiting,
  }
}
