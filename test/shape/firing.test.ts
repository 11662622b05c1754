// Lets CloudWatch's rules decide when the alarms of the template go on: each for a planted failure of its
// kind, and none on a quiet stage.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ALARMS } from '../../shared/service/alarms.ts'
import { idOf, plain } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const HOUR = 60

const Stat = z.object({
  MetricStat: z.object({ Metric: z.object({ MetricName: z.string() }), Period: z.number() }),
})
const Expression = z.object({ Expression: z.string() })
const Alarm = z.object({
  AlarmName: z.unknown(),
  MetricName: z.optional(z.string()),
  Period: z.optional(z.number()),
  Metrics: z._default(z.array(z.looseObject({ Id: z.string() })), []),
  ComparisonOperator: z.enum(['GreaterThanThreshold', 'LessThanThreshold']),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.optional(z.number()),
  TreatMissingData: z.enum(['notBreaching', 'missing', 'ignore']),
})
type Alarm = z.output<typeof Alarm>

const { resources } = synthesizeHere({
  context: { alarmEmail: 'owner@example.com', backupDays: '365', mailSender: 'content@example.com' },
})
const alarms = Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
  Type === 'AWS::CloudWatch::Alarm' ? [[plain(id), Alarm.parse(Properties)] as const] : [],
)

/** What each metric is in a period of the alarm, a minute for most; one that is not named has no data. */
type Period = Record<string, number>

/** Of a metric, or of an expression of metrics. Undefined without data. */
function valueIn({ MetricName, Metrics }: Alarm, period: Period): number | undefined {
  if (MetricName !== undefined) return period[MetricName]
  const parts = Metrics.flatMap(metric => {
    const { data } = Stat.safeParse(metric)
    return data ? [[metric.Id, period[data.MetricStat.Metric.MetricName]] as const] : []
  })
  const [{ Expression: math } = { Expression: '' }] = Metrics.flatMap(
    metric => Expression.safeParse(metric).data ?? [],
  )
  const functions = {
    IF: (is: boolean, then: number, other: number) => (is ? then : other),
    FILL: (value: number | undefined, other: number) => value ?? other,
  }
  const names = [...Object.keys(functions), ...parts.map(([id]) => id)]
  const given = [...Object.values(functions), ...parts.map(([, value]) => value)]
  return new Function(...names, `return ${math}`)(...given)
}

/** The state of the alarm after each period. */
function statesOf(alarm: Alarm, periods: Period[]): string[] {
  const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm, TreatMissingData } = alarm
  const isBad = (value: number) =>
    ComparisonOperator === 'GreaterThanThreshold' ? value > Threshold : value < Threshold
  let state = 'INSUFFICIENT_DATA'
  return periods.map((_, n) => {
    const looked = periods.slice(Math.max(0, n + 1 - EvaluationPeriods), n + 1)
    const values = looked.map(period => valueIn(alarm, period)).filter(value => value !== undefined)
    const bad = values.filter(isBad).length
    if (bad >= (DatapointsToAlarm ?? EvaluationPeriods)) {
      state = 'ALARM'
    } else if (values.length > 0 || TreatMissingData !== 'ignore') {
      state = values.length === 0 && TreatMissingData === 'missing' ? 'INSUFFICIENT_DATA' : 'OK'
    }
    return state
  })
}

/** What AWS and the functions send of a stage that works, with these besides. */
function always(more: Period): Period[] {
  const usual = { Invocations: 1, Throttles: 0, ApproximateAgeOfOldestMessage: 2, Count: 100, '5XXError': 0 }
  return Array.from({ length: HOUR }, () => ({
    ...usual,
    ApproximateNumberOfMessagesVisible: 0,
    'Reputation.BounceRate': 0,
    ...more,
  }))
}

/** A failure of the kind that each alarm is for, by what it does to metrics. */
const PLANTED: Record<string, Period> = {
  'server-errors': { '5XXError': 5, Count: 400 },
  throttled: { Throttles: 6 },
  'limiter-open': { LimiterOpen: 6 },
  'sweep-missing': { Invocations: 0 },
  'outbox-late': { OutboxLeft: 1 },
  'deliveries-late': { ApproximateAgeOfOldestMessage: 601 },
  'index-late': { ApproximateAgeOfOldestMessage: 601 },
  'dead-letters': { ApproximateNumberOfMessagesVisible: 1 },
  'mail-bounces': { 'Reputation.BounceRate': 0.05 },
  backups: { NumberOfBackupJobsExpired: 1 },
}

function alarmOf(name: string): Alarm {
  const [, alarm] = alarms.find(([id]) => id === `alarms${idOf(name)}`) ?? []
  if (!alarm) throw new Error(`The template has no alarm ${name}.`)
  return alarm
}

describe('the alarm', () => {
  it.each(ALARMS)('$id goes on for a failure of its kind, and is over after it', ({ id }) => {
    const states = statesOf(alarmOf(id), [...always({}), ...always(PLANTED[id] ?? {}), ...always({})])
    const [before, during, after] = [0, 1, 2].map(n => states.slice(n * HOUR, (n + 1) * HOUR))
    expect(before).not.toContain('ALARM')
    expect(during?.at(-1)).toBe('ALARM')
    expect(after?.at(-1)).not.toBe('ALARM')
  })

  it.each(ALARMS.filter(({ missing }) => missing === 'notice'))(
    '$id gives notice when all data is missing',
    ({ id }) => {
      const states = statesOf(alarmOf(id), [...always({}), ...Array.from({ length: HOUR }, () => ({}))])
      expect([states[HOUR - 1], states.at(-1)]).toEqual(['OK', 'INSUFFICIENT_DATA'])
    },
  )
})

describe('a stage with ten requests an hour, of which one is slow and one fails', () => {
  /** The slow one was not counted in time, and tried its calls again. */
  const quiet = Array.from({ length: HOUR }, (_, n) => ({
    ...{ Invocations: 1, ApproximateNumberOfMessagesVisible: 0 },
    ...(n % 6 === 0 && { Count: 1, '5XXError': n === 30 ? 1 : 0, ApproximateAgeOfOldestMessage: 1 }),
    ...(n === 12 && { LimiterOpen: 1, Retries: 3, Latency: 9_000 }),
  }))

  it.each(ALARMS)('has no $id', ({ id }) => {
    const states = statesOf(alarmOf(id), quiet)
    expect(states).not.toContain('ALARM')
    // A stage without any data of this kind has never had any, so that nothing changes and no notice is sent.
    expect(new Set(states).size).toBe(1)
  })
})
