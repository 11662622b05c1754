// CloudWatch reads metrics from a log line in its embedded metric format (EMF).
import type { Tally } from './tally.ts'

/** By the end of its name, so that no function loads the texts of the metrics. */
function unitOf(name: string): 'Seconds' | 'Count' {
  return name.endsWith('Seconds') ? 'Seconds' : 'Count'
}

/** The members that make a log line one with metrics; none without metrics. */
export function embedded(tally: Tally, namespace: string, nowMs: number): Record<string, unknown> {
  const names = Object.keys(tally)
  if (names.length === 0) return {}
  const metrics = names.map(name => ({ Name: name, Unit: unitOf(name) }))
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: metrics }
  return { _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] }, ...tally }
}
