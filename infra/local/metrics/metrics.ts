// The metrics of a local run: what `GET /__local/metrics` answers, and what the live line shows.
import type { MetricName } from '../../../shared/metrics/metrics.ts'
import type { Answer } from '../gateway/answer.ts'
import { type AlarmState, alarmStates } from './alarms.ts'
import type { QueueFigures, QueueMetrics } from './queues.ts'
import { LATENCY, REFUSED, REQUESTS, type Recorder, SERVER_ERRORS } from './recorder.ts'

export const METRICS_PATH = '/__local/metrics'
/** Of latencies. */
const PERIOD_SECONDS = 300

/** Since the start. */
export type Totals = {
  requests: number
  serverErrors: number
  refused: number
  deliveries: number
  failedDeliveries: number
  /** As the last sweep found it; null before the first. */
  leftInOutbox: number | null
}

export type LocalMetrics = {
  totals(): Totals
  alarms(): AlarmState[]
  queues(): Record<string, QueueFigures>
  answer(): Answer
  /** Forgets all samples, as if the service had just been started. Totals stay. */
  clear(): void
}

/** @param quota how many functions the account may run at once. */
export function openMetrics(
  { samples }: Recorder,
  queues: QueueMetrics,
  clock: () => number,
  quota: () => number,
): LocalMetrics {
  let sinceMs = clock()
  const hasRunFor = (seconds: number) => clock() - sinceMs >= seconds * 1000
  const own = (name: MetricName) => samples.total(name)

  function totals(): Totals {
    const failedDeliveries = own('DeliveriesFailed')
    return {
      requests: samples.total(REQUESTS),
      serverErrors: samples.total(SERVER_ERRORS),
      refused: samples.total(REFUSED),
      deliveries: own('DeliveriesSucceeded') + failedDeliveries,
      failedDeliveries,
      leftInOutbox: samples.latest('OutboxLeft' satisfies MetricName) ?? null,
    }
  }
  const alarms = () => alarmStates({ samples, readGauge: queues.read, hasRunFor, quota })

  return {
    totals,
    alarms,
    queues: queues.figures,
    answer() {
      const latencyMs = {
        average: rounded(samples.statistic(LATENCY, 'Average', PERIOD_SECONDS)),
        p99: rounded(samples.statistic(LATENCY, 'p99', PERIOD_SECONDS)),
      }
      const content = { totals: totals(), latencyMs, queues: queues.figures(), alarms: alarms() }
      return {
        statusCode: 200,
        headers: {
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
          'Cross-Origin-Resource-Policy': 'same-origin',
          'X-Content-Type-Options': 'nosniff',
        },
        body: Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`),
      }
    },
    clear() {
      samples.clear()
      sinceMs = clock()
    },
  }
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}
