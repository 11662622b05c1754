// Keeps the samples of metrics in memory, and computes statistics over their last minutes.
import type { Alarm, AwsMetric } from '../../../shared/service/alarms.ts'

/** By the name of a function's own metric, or by all that names one of AWS. */
export type SeriesName = string

export function seriesOf({ namespace, name, dimensions }: AwsMetric): SeriesName {
  return JSON.stringify([namespace, name, dimensions])
}

/** The newest of each metric. A longer history is CloudWatch's business. */
const MAX_SAMPLES = 5_000

type Series = { samples: { atMs: number; value: number }[]; total: number }

export type Samples = {
  add(name: SeriesName, value: number): void
  /** The statistic of the period that ends now; undefined without samples. */
  statistic(name: SeriesName, statistic: Alarm['statistic'], periodSeconds: number): number | undefined
  latest(name: SeriesName): number | undefined
  /** The sum since the start. */
  total(name: SeriesName): number
  /** Forgets all samples. Totals stay. */
  clear(): void
}

export function openSamples(clock: () => number): Samples {
  const all = new Map<SeriesName, Series>()
  return {
    add(name, value) {
      const series = all.get(name) ?? { samples: [], total: 0 }
      series.samples.push({ atMs: clock(), value })
      series.total += value
      if (series.samples.length > MAX_SAMPLES) series.samples.splice(0, MAX_SAMPLES / 2)
      all.set(name, series)
    },
    statistic(name, statistic, periodSeconds) {
      const sinceMs = clock() - periodSeconds * 1000
      const recent = all.get(name)?.samples.filter(({ atMs }) => atMs > sinceMs) ?? []
      return recent.length === 0 ? undefined : STATISTICS[statistic](recent.map(({ value }) => value))
    },
    latest: name => all.get(name)?.samples.at(-1)?.value,
    total: name => all.get(name)?.total ?? 0,
    clear() {
      for (const series of all.values()) series.samples = []
    },
  }
}

const STATISTICS: Record<Alarm['statistic'], (values: number[]) => number> = {
  Sum: sum,
  Average: values => sum(values) / values.length,
  Maximum: values => values.reduce((most, value) => Math.max(most, value)),
  p99: values => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0,
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
