// What `GET /health?deep=1` says of each part of the service, and when a part is not well.
import * as z from 'zod/mini'
import { isoTime, Time } from '../http/time.ts'

const Check = z.object({ ok: z.boolean(), problem: z.optional(z.string()) })
export const QueueLengths = z.object({
  events: z.int(),
  deliveries: z.int(),
  tidy: z.int(),
  mail: z.int(),
  index: z.int(),
})

/** So many, or more, are set aside: counting further would make the check slow when it is needed most. */
export const MOST_SET_ASIDE = 100

export const HealthChecks = z.object({
  table: z.extend(Check, { latency_ms: z.nullable(z.int()) }),
  queues: z.extend(Check, { waiting: z.nullable(QueueLengths) }),
  sweep: z.extend(Check, { last_at: z.nullable(Time) }),
  outbox: z.extend(Check, {
    oldest_seconds: z.nullable(z.int()),
    waiting: z.nullable(z.int()),
    set_aside: z.nullable(z.int()),
  }),
  index: z.extend(Check, { waiting: z.nullable(z.int()) }),
})
export type HealthChecks = z.infer<typeof HealthChecks>

/** What was measured; undefined where the part did not answer in time. */
export type Measurements = {
  nowMs: number
  tableMs: number | undefined
  waiting: z.infer<typeof QueueLengths> | undefined
  /** `beat` is undefined before the first sweep. */
  sweep: { beat: { endedMs: number; failedParts: number } | undefined } | undefined
  outbox: { oldestMs: number | undefined; waiting: number; setAside: number } | undefined
}

/** It beats each minute, and may miss one or two. */
const LATE_SWEEP_MS = 180_000
/** A row is swept after 30 s, by the next beat. */
const OLDEST_ROW_SECONDS = 150
/** The index takes about so many posts in five minutes. */
const MOST_UNINDEXED = 1_000

const NO_ANSWER = 'It does not answer.'

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
          : index > MOST_UNINDEXED && `${index} posts wait to be indexed for search.`,
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
  if (!beat) return { ...check('It has never run.'), last_at: null }
  const isLate = nowMs - beat.endedMs > LATE_SWEEP_MS
  const failed = beat.failedParts > 0 && `The last sweep failed in part (${beat.failedParts}): see its log.`
  return {
    ...check(isLate ? 'It has not run for more than three minutes.' : failed),
    last_at: isoTime(Math.floor(beat.endedMs / 1000)),
  }
}

function outboxCheck({ outbox, nowMs }: Measurements): HealthChecks['outbox'] {
  if (!outbox) return { ...check(NO_ANSWER), oldest_seconds: null, waiting: null, set_aside: null }
  const { oldestMs, waiting, setAside } = outbox
  const seconds = oldestMs === undefined ? null : Math.max(0, Math.floor((nowMs - oldestMs) / 1000))
  const late = seconds !== null && seconds > OLDEST_ROW_SECONDS
  return {
    ...check(
      late
        ? `A message waits for ${seconds} s: a queue refuses it, or the sweep does not run.`
        : setAside > 0 && setAsideProblem(setAside),
    ),
    oldest_seconds: seconds,
    waiting,
    set_aside: setAside,
  }
}

function setAsideProblem(count: number): string {
  const messages =
    count === 1 ? '1 message is' : `${count}${count < MOST_SET_ASIDE ? '' : ' or more'} messages are`
  return `${messages} set aside, since the running version cannot read what a newer one wrote. Deploy that one, then: npm run operator -- redrive`
}
