// What the declared alarms would see now: one period that ends now, where CloudWatch waits for several.
import { ALARMS, type Alarm, type AlarmMetric, type AwsMetric } from '../../../shared/service/alarms.ts'
import { type Samples, seriesOf } from './samples.ts'

export type AlarmState = {
  id: string
  state: 'ok' | 'alarm'
  /** Null: there is no data. */
  value: number | null
  threshold: Alarm['threshold']
  statistic: Alarm['statistic']
  periodSeconds: number
  means: string
  firstCommand: string
}

/** A value that is read when it is asked for, such as the length of a queue; undefined for other metrics. */
export type ReadGauge = (metric: AwsMetric) => number | undefined

type Sources = {
  samples: Samples
  readGauge: ReadGauge
  /** Whether there may be a whole period of data. */
  hasRunFor: (seconds: number) => boolean
  /** How many functions the account may run at once. */
  quota: () => number
  /** The most that the account should cost. A local run costs nothing, and has none. */
  budgetUsd?: number
}

export function alarmStates(sources: Sources): AlarmState[] {
  return ALARMS.map(alarm => {
    const { id, statistic, periodSeconds, means, firstCommand } = alarm
    const value = readValue(alarm.metric, alarm, sources)
    const threshold = thresholdOf(alarm, sources)
    const isBad = value === undefined ? isBadWhenMissing(alarm, sources) : isBeyond(value, threshold)
    return {
      id,
      state: isBad ? 'alarm' : 'ok',
      value: value ?? null,
      threshold,
      statistic,
      periodSeconds,
      means,
      firstCommand,
    }
  })
}

function readValue(metric: AlarmMetric, alarm: Alarm, sources: Sources): number | undefined {
  const { statistic, periodSeconds } = alarm
  const ofAws = (aws: AwsMetric) =>
    sources.readGauge(aws) ?? sources.samples.statistic(seriesOf(aws), statistic, periodSeconds)
  if ('own' in metric) return sources.samples.statistic(metric.own, statistic, periodSeconds)
  if ('aws' in metric) return ofAws(metric.aws)
  return metric.sumOf.reduce((sum, aws) => sum + (ofAws(aws) ?? 0), 0)
}

function thresholdOf({ threshold, shareOf }: Alarm, sources: Sources): Alarm['threshold'] {
  const { quota, budgetUsd = Number.POSITIVE_INFINITY } = sources
  const whole = shareOf === undefined ? 1 : shareOf === 'lambdaQuota' ? quota() : budgetUsd
  return 'above' in threshold ? { above: threshold.above * whole } : { below: threshold.below * whole }
}

function isBeyond(value: number, threshold: Alarm['threshold']): boolean {
  return 'above' in threshold ? value > threshold.above : value < threshold.below
}

function isBadWhenMissing({ missing, periodSeconds }: Alarm, { hasRunFor }: Sources): boolean {
  return missing === 'breaching' && hasRunFor(periodSeconds)
}
