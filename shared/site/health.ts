// The checks of `GET /health?deep=1`: what they report of each part of the service, and when one fails. No
// I/O.
import * as z from 'zod/mini'
import { isoTime, Time } from '../http/time.ts'

const Check = z.object({ ok: z.boolean(), problem: z.optional(z.string()) })
export const QueueLengths = z.object({
  events: z.int(),
  deliveries: z.int(),
  tidy: z.int(),
  mail: z.int(),
  index: z.int(),
  bounces: z.int(),
})

export const HealthChecks = z.object({
  table: z.extend(Check, { latency_ms: z.nullable(z.int()) }),
  queues: z.extend(Check, { waiting: z.nullable(QueueLengths) }),
  sweep: z.extend(Check, { last_at: z.nullable(Time) }),
  outbox: z.extend(Check, {
    oldest_seconds: z.nullable(z.int()),
    waiting: z.nullable(z.int()),
  }),
  index: z.extend(Check, { waiting: z.nullable(z.int()) }),
})
export type HealthChecks = z.infer<typeof HealthChecks>

/** A part is undefined if it did not answer in time. */
export type Measurements = {
  nowMs: number
  tableMs: number | undefined
  waiting: z.infer<typeof QueueLengths> | undefined
  /** `beat` is undefined before the first sweep. */
  sweep: { beat: { endedMs: number; failedParts: number } | undefined } | undefined
  outbox: { oldestMs: number | undefined; waiting: number } | undefined
}

/** The sweep runs every minute, and may miss one or two runs. */
const LATE_SWEEP_MS = 180_000
/** A row is swept after a minute, by the next run. */
const OLDEST_ROW_SECONDS = 150
/** About what the index takes in five minutes. */
const MAX_UNINDEXED = 1_000

const NO_ANSWER = 'Does not answer.'

export function checksOf(measurements: Measurements): HealthChecks {
  const { tableMs, waiting } = measurements
  const index = waiting?.index ?? null
  return {
    table: { ...check(tableMs === undefined && NO_ANSWER), latency_ms: tableMs ?? null },
    queues: { ...check(!waiting && NO_ANSWER), waiting: waiting ?? null },
    sweep: sweepCheck(measurements),
    outbox: outboxCheck(measurements),
    index: {
      ...check(
        index === null
          ? NO_ANSWER
          : index > MAX_UNINDEXED && `${index} changes are waiting to be merged into the search index.`,
      ),
      waiting: index,
    },
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
  const { beat } = sweep
  if (!beat) return { ...check('Has never run.'), last_at: null }
  const isLate = nowMs - beat.endedMs > LATE_SWEEP_MS
  const failed = beat.failedParts > 0 && `The last sweep failed in part (${beat.failedParts}). See its log.`
  return {
    ...check(isLate ? 'Has not run for more than three minutes.' : failed),
    last_at: isoTime(Math.floor(beat.endedMs / 1000)),
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
