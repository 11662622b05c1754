// Reads the metrics of the queues from the emulator: the age of the oldest message, and dead letters.
import { QUEUE_NAMES, type QueueName } from '../../../shared/events/message.ts'
import type { AwsMetric } from '../../../shared/service/alarms.ts'
import type { Sqs } from '../queues/fauxqs.ts'

export type QueueFigures = {
  waiting: number
  inFlight: number
  delayed: number
  oldestSeconds: number
  deadLetters: number
}

export type QueueMetrics = {
  /** Undefined for a metric of another service. */
  read(metric: AwsMetric): number | undefined
  figures(): Record<string, QueueFigures>
}

/** @param physicalName the emulator's name of the queue with this name in the stack's code. */
export function openQueueMetrics(
  sqs: Pick<Sqs, 'inspect' | 'depth'>,
  physicalName: (name: string) => string,
  clock: () => number,
): QueueMetrics {
  const queueOf = (name: QueueName) => physicalName(`${capitalized(name)}Queue`)
  const deadLettersOf = (name: QueueName) => physicalName(`${capitalized(name)}DeadLetters`)

  function oldestSeconds(queue: string): number {
    const { ready, inflight } = sqs.inspect(queue)?.messages ?? { ready: [], inflight: [] }
    const sentMs = [...ready, ...inflight.map(({ message }) => message)].map(
      ({ sentTimestamp }) => sentTimestamp,
    )
    const oldestMs = sentMs.reduce((oldest, ms) => Math.min(oldest, ms), clock())
    return Math.floor((clock() - oldestMs) / 1000)
  }

  return {
    read({ namespace, dimensions: { QueueName: queue } }) {
      if (namespace !== 'AWS/SQS' || queue === undefined) return undefined
      if ('deadLettersOf' in queue) return sqs.depth(deadLettersOf(queue.deadLettersOf)).visible
      return 'queue' in queue ? oldestSeconds(queueOf(queue.queue)) : undefined
    },
    figures: () =>
      Object.fromEntries(
        QUEUE_NAMES.map(name => {
          const { visible, inFlight, delayed } = sqs.depth(queueOf(name))
          const deadLetters = sqs.depth(deadLettersOf(name)).visible
          const rest = { inFlight, delayed, oldestSeconds: oldestSeconds(queueOf(name)), deadLetters }
          return [name, { waiting: visible, ...rest }]
        }),
      ),
  }
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
