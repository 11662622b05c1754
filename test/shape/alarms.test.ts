// The declared alarms name functions that exist, and fit into what CloudWatch takes.
import { describe, expect, it } from 'vitest'
import { ALARMS, type AlarmMetric, type WatchedMetric } from '../../shared/service/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'

const FUNCTIONS = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })
/** CloudWatch takes no more metrics in one expression. */
const MAX_METRICS = 10

function metricsOf(metric: AlarmMetric): WatchedMetric[] {
  return 'name' in metric ? [metric] : Object.values(metric.of)
}

describe('the declared alarms', () => {
  it('are at most ten, with names that differ', () => {
    const ids = ALARMS.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(ids.length).toBeLessThanOrEqual(10)
    expect(ids.filter(id => !/^[a-z]+(-[a-z]+)*$/.test(id))).toEqual([])
  })

  it.each(ALARMS)('$id refers to functions that exist, and to at most ten metrics', ({ metric }) => {
    const metrics = metricsOf(metric)
    expect(metrics.length).toBeLessThanOrEqual(MAX_METRICS)
    const values = metrics.flatMap(({ dimensions = {} }) => Object.values(dimensions))
    const named = values.flatMap(value => ('function' in value ? [value.function] : []))
    expect(named.filter(name => !FUNCTIONS.includes(name))).toEqual([])
  })

  it.each(ALARMS)('$id fits into a description of an alarm, and into its periods', alarm => {
    // An alarm's description takes 1,024 characters, and its periods together a day.
    expect(`${alarm.means}\n${alarm.firstCommand}`.length).toBeLessThan(1_000)
    expect(alarm.periodSeconds * alarm.periods).toBeLessThanOrEqual(86_400)
    expect(alarm.badPeriods ?? alarm.periods).toBeLessThanOrEqual(alarm.periods)
  })

  it.each(ALARMS)('$id is about a count, or a rate of at least five failures', ({ metric, statistic }) => {
    if (!('math' in metric) || !metric.math.includes('/')) return expect(statistic).not.toMatch(/^p\d/)
    expect(metric.math).toMatch(/^IF\(errors >= 5, /)
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
    for (const { periodSeconds, periods, badPeriods = periods } of rollingBack) {
      expect(periodSeconds * badPeriods + 120).toBeLessThan(300)
    }
  })
})
