// The checks of `GET /health?deep=1`: what they report of each part of the service, and when one fails. No
// I/O.
import * as z from 'zod/mini'
import { isoTime, Time } from '../http/time.ts'

const Check = z.object({ ok: z.boolean(), problem: z.optional(z.string()) })

export const HealthChecks = z.object({
  table: z.extend(Check, { latency_ms: z.nullable(z.int()) }),
  sweep: z.extend(Check, { last_at: z.nullable(Time) }),
  outbox: z.extend(Check, {
    oldest_seconds: z.nullable(z.int()),
    waiting: z.nullable(z.int()),
  }),
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

function check(problem: string | false): z.infer<typeof Check> {
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
