// CloudWatch reads metrics from a log line in its embedded metric format (EMF).
import type { MetricUnit } from './metrics.ts'
import type { Tally } from './tally.ts'

/** By the end of its name, so that no function loads the texts of the metrics. */
export function unitOf(name: string): MetricUnit {
  if (name.endsWith('Seconds')) return 'Seconds'
  return name.endsWith('Ms') ? 'Milliseconds' : 'Count'
}

/** The members that make a log line one with metrics; none without metrics. */
export function embedded(tally: Tally, namespace: string, nowMs: number): Record<string, unknown> {
  const names = Object.keys(tally)
  if (names.length === 0) return {}
  const metrics = names.map(name => ({ Name: name, Unit: unitOf(name) }))
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: metrics }
  return { _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] }, ...tally }
}
