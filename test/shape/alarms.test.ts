// The declared alarms name functions that exist, and fit into what CloudWatch takes.
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { ALARMS, type AlarmMetric, type AwsMetric } from '../../shared/service/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'

const FUNCTIONS = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })
/** CloudWatch takes no more metrics in one expression. */
const MAX_METRICS = 10

function awsMetricsOf(metric: AlarmMetric): AwsMetric[] {
  if ('own' in metric) return []
  return 'aws' in metric ? [metric.aws] : metric.sumOf
}

describe('the declared alarms', () => {
  it('have names that differ', () => {
    const ids = ALARMS.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(ids.filter(id => !/^[a-z]+(-[a-z]+)*$/.test(id))).toEqual([])
  })

  it.each(ALARMS)('$id refers to functions that exist, and to at most ten metrics', ({ metric }) => {
    const metrics = awsMetricsOf(metric)
    expect(metrics.length).toBeLessThanOrEqual(MAX_METRICS)
    const values = metrics.flatMap(({ dimensions }) => Object.values(dimensions))
    const named = values.flatMap(value => ('function' in value ? [value.function] : []))
    expect(named.filter(name => !FUNCTIONS.includes(name))).toEqual([])
  })

  it.each(ALARMS)('$id fits into a description of an alarm, and into its periods', alarm => {
    // An alarm's description takes 1,024 characters, and its periods together a day.
    expect(`${alarm.means}\n${alarm.firstCommand}`.length).toBeLessThan(1_000)
    expect(alarm.periodSeconds * alarm.periods).toBeLessThanOrEqual(86_400)
    expect(alarm.badPeriods ?? alarm.periods).toBeLessThanOrEqual(alarm.periods)
  })

  it('that take a release back go on before a canary of five minutes ends, two minutes after their metric', () => {
    const rollingBack = ALARMS.filter(({ rollsBack }) => rollsBack)
    expect(rollingBack.map(({ id }) => id)).toEqual(['server-errors', 'slow-reads', 'slow-writes'])
    for (const { periodSeconds, periods, badPeriods = periods } of rollingBack) {
      expect(periodSeconds * badPeriods + 120).toBeLessThan(300)
    }
  })

  it('name for each metric of the functions a function that exists', () => {
    const emitters = Object.values(METRICS).map(({ emittedBy }) => emittedBy)
    expect(emitters.filter(name => ![...FUNCTIONS, 'requests', 'all'].includes(name))).toEqual([])
  })
})
