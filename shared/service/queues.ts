// The time-outs of the queues, by the workers that receive from them.
import { QUEUES, type QueueName } from '../events/message.ts'
import { QUEUE_WORKERS } from './workers.ts'

/**
 * AWS recommends six times the worker's time-out, so that a throttled batch is not delivered twice. After a
 * crash a FIFO queue delivers nothing else until then, and its worker runs alone: once is enough.
 */
export function visibilitySeconds(queue: QueueName): number {
  const workers = Object.values(QUEUE_WORKERS).filter(({ consumes }) => consumes === queue)
  return (
    (QUEUES[queue].isFifo ? 1 : 6) *
    workers.reduce((longest, { timeoutSeconds }) => Math.max(longest, timeoutSeconds), 30)
  )
}

/** A FIFO queue keeps one message of each second. Its work begins when the second is over by every clock. */
const FIFO_DELAY_SECONDS = 2

/** How long the queue keeps each message back. */
export function deliveryDelaySeconds(queue: QueueName): number {
  return QUEUES[queue].isFifo ? FIFO_DELAY_SECONDS : 0
}
