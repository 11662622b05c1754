// Checks the alarms: what CloudWatch takes, and what its rules decide about those of the template. Each goes
// on for a planted failure of its kind, and none on a quiet stage.
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ALARMS } from '../../infra/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { EVERY_VALUE, synthesize } from './synthesize.ts'
import { idOf } from './template.ts'

const HOUR = 60
const FUNCTIONS = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })
/** CloudWatch takes no more metrics in one expression. */
const MAX_METRICS = 10

const Stat = z.object({
  MetricStat: z.object({ Metric: z.object({ MetricName: z.string() }), Period: z.number() }),
})
const Expression = z.object({ Expression: z.string() })
const Alarm = z.object({
  MetricName: z.optional(z.string()),
  Dimensions: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []),
  Period: z.optional(z.number()),
  Statistic: z.optional(z.string()),
  Metrics: z._default(z.array(z.looseObject({ Id: z.string() })), []),
  ComparisonOperator: z.enum(['GreaterThanThreshold', 'LessThanThreshold']),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.optional(z.number()),
  TreatMissingData: z.enum(['notBreaching', 'missing', 'ignore']),
})
type Alarm = z.output<typeof Alarm>

const { only } = synthesize(EVERY_VALUE)

/** What each metric is in a period of the alarm, a minute for most; one that is not named has no data. */
type Period = Record<string, number>

/** The value of a metric, or of an expression of metrics. Undefined without data. */
function valueIn(alarm: Alarm, period: Period): number | undefined {
  const { MetricName, Metrics } = alarm
  if (MetricName !== undefined) return period[MetricName]
  const parts = Metrics.flatMap(metric => {
    const { data } = Stat.safeParse(metric)
    return data ? [[metric.Id, period[data.MetricStat.Metric.MetricName]] as const] : []
  })
  const functions = {
    IF: (is: boolean, then: number, other: number) => (is ? then : other),
    FILL: (value: number | undefined, other: number) => value ?? other,
  }
  const names = [...Object.keys(functions), ...parts.map(([id]) => id)]
  const given = [...Object.values(functions), ...parts.map(([, value]) => value)]
  return new Function(...names, `return ${mathOf(alarm)}`)(...given)
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
  return Alarm.parse(only('AWS::CloudWatch::Alarm', `alarms${idOf(name)}`).properties)
}

/** The expression over its metrics, if it has one. */
function mathOf({ Metrics }: Alarm): string | undefined {
  return Metrics.flatMap(metric => Expression.safeParse(metric).data?.Expression ?? [])[0]
}

/** The length of a period in seconds. */
function periodOf({ Period, Metrics }: Alarm): number {
  const [first] = Metrics.flatMap(metric => Stat.safeParse(metric).data?.MetricStat ?? [])
  return Period ?? first?.Period ?? Number.NaN
}

describe('the declared alarms', () => {
  it('are at most ten, with names that differ', () => {
    const ids = ALARMS.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(ids.length).toBeLessThanOrEqual(10)
    expect(ids.filter(id => !/^[a-z]+(-[a-z]+)*$/.test(id))).toEqual([])
  })

  it.each(ALARMS)('$id fits into what CloudWatch takes, and refers to functions that exist', declared => {
    const alarm = alarmOf(declared.id)
    // An alarm's description takes 1,024 characters, and its periods together a day.
    expect(`${declared.means}\n${declared.firstCommand}`.length).toBeLessThan(1_000)
    expect(periodOf(alarm) * alarm.EvaluationPeriods).toBeLessThanOrEqual(86_400)
    expect(alarm.DatapointsToAlarm ?? 1).toBeLessThanOrEqual(alarm.EvaluationPeriods)
    expect(alarm.Metrics.filter(metric => 'MetricStat' in metric).length).toBeLessThanOrEqual(MAX_METRICS)
    for (const { Value } of alarm.Dimensions.filter(({ Name }) => Name === 'FunctionName')) {
      expect(FUNCTIONS.map(name => ({ 'Fn::Sub': `\${AWS::StackName}-${name}` }))).toContainEqual(Value)
    }
  })

  it('read log groups of functions and of the gateway', () => {
    const groups = ALARMS.flatMap(({ firstCommand }) =>
      [...firstCommand.matchAll(/ContentService-STAGE\/([\w-]+)/g)].map(([, name = '']) => name),
    )
    const workers = ALARMS.flatMap(({ firstCommand }) =>
      /for worker in ([\w -]+);/.exec(firstCommand)?.[1]?.split(' '),
    )
    const named = [...groups, ...workers].filter(name => name !== undefined)
    expect(named.filter(name => ![...FUNCTIONS, 'access'].includes(name))).toEqual([])
  })

  it('that take a release back go on before a canary of five minutes ends, two minutes after their metric', () => {
    const rollingBack = ALARMS.filter(({ rollsBack }) => rollsBack)
    expect(rollingBack.map(({ id }) => id)).toEqual(['server-errors'])
    for (const alarm of rollingBack.map(({ id }) => alarmOf(id))) {
      const badPeriods = alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods
      expect(periodOf(alarm) * badPeriods + 120).toBeLessThan(300)
    }
  })
})

describe('the alarm', () => {
  it.each(ALARMS)('$id goes on for a failure of its kind, and is over after it', ({ id }) => {
    const states = statesOf(alarmOf(id), [...always({}), ...always(PLANTED[id] ?? {}), ...always({})])
    const [before, during, after] = [0, 1, 2].map(n => states.slice(n * HOUR, (n + 1) * HOUR))
    expect(before).not.toContain('ALARM')
    expect(during?.at(-1)).toBe('ALARM')
    expect(after?.at(-1)).not.toBe('ALARM')
  })

  it.each(ALARMS.filter(({ missingData }) => missingData === TreatMissingData.MISSING))(
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
