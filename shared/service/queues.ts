// The time-outs of the queues, by the workers that receive from them.
import { combinesSeconds, type QueueName } from '../events/message.ts'
import { QUEUE_WORKERS } from './workers.ts'

/** AWS recommends six times the worker's time-out, so that a throttled batch is not delivered twice. */
export function visibilitySeconds(queue: QueueName): number {
  const workers = Object.values(QUEUE_WORKERS).filter(({ consumes }) => consumes === queue)
  return 6 * workers.reduce((longest, { timeoutSeconds }) => Math.max(longest, timeoutSeconds), 30)
}

/** Messages are combined by the clocks of the functions that send them. */
const CLOCKS_DIFFER_SECONDS = 1

/** How long the queue keeps each message back. */
export function deliveryDelaySeconds(queue: QueueName): number {
  const seconds = combinesSeconds(queue)
  return seconds > 0 ? seconds + CLOCKS_DIFFER_SECONDS : 0
}
