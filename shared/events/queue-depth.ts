// The approximate numbers of messages in a queue.
import type { QueueClient } from './sqs.ts'

export type QueueDepth = { waiting: number; inFlight: number; delayed: number }

const ATTRIBUTES = {
  waiting: 'ApproximateNumberOfMessages',
  inFlight: 'ApproximateNumberOfMessagesNotVisible',
  delayed: 'ApproximateNumberOfMessagesDelayed',
} as const

const TIMEOUT_MS = 2_000

export async function queueDepth(sqs: QueueClient, QueueUrl: string): Promise<QueueDepth> {
  const { Attributes = {} } = await sqs.call(
    'GetQueueAttributes',
    { QueueUrl, AttributeNames: Object.values(ATTRIBUTES) },
    { abortSignal: AbortSignal.timeout(TIMEOUT_MS) },
  )
  const numberOf = (name: keyof QueueDepth) => Number(Attributes[ATTRIBUTES[name]] ?? 0)
  return { waiting: numberOf('waiting'), inFlight: numberOf('inFlight'), delayed: numberOf('delayed') }
}

const EMPTY: QueueDepth = { waiting: 0, inFlight: 0, delayed: 0 }

/** All messages of the queue. */
export function sumOf({ waiting, inFlight, delayed } = EMPTY): number {
  return waiting + inFlight + delayed
}
