// The queues and their dead-letter queues: encrypted, TLS only. Messages survive a weekend and a redrive.
import { CfnOutput, Duration } from 'aws-cdk-lib'
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { MAX_RECEIVES, perQueue, QUEUES, type QueueName } from '../shared/events/message.ts'
import { QUEUE_WORKERS } from '../shared/service/workers.ts'
import { capitalized, queueOutputs } from './names.ts'

export type Queues = Record<QueueName, Queue>

/** AWS recommends six times the worker's time-out, so that a throttled batch is not delivered twice. */
function visibilitySeconds(name: QueueName): number {
  const workers = Object.values(QUEUE_WORKERS).filter(({ consumes }) => consumes === name)
  return 6 * workers.reduce((longest, { timeoutSeconds }) => Math.max(longest, timeoutSeconds), 30)
}

/** Order matters only within a group, so the throughput limit applies to each group. */
const FIFO = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
}

/** A FIFO queue keeps one message of each second. Its work begins when the second is over by every clock. */
const FIFO_DELAY_SECONDS = 2

function createQueue(scope: Construct, name: QueueName): Queue {
  const fifo = QUEUES[name].isFifo && FIFO
  const encrypted = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
  const deadLetters = new Queue(scope, `${capitalized(name)}DeadLetters`, {
    ...encrypted,
    ...fifo,
    retentionPeriod: Duration.days(14),
  })
  const queue = new Queue(scope, `${capitalized(name)}Queue`, {
    ...encrypted,
    ...fifo,
    retentionPeriod: Duration.days(4),
    ...(fifo && { deliveryDelay: Duration.seconds(FIFO_DELAY_SECONDS) }),
    visibilityTimeout: Duration.seconds(visibilitySeconds(name)),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  })
  const outputs = queueOutputs(name)
  new CfnOutput(scope, outputs.queue, { value: queue.queueUrl })
  new CfnOutput(scope, outputs.deadLetters, { value: deadLetters.queueUrl })
  return queue
}

export function createQueues(scope: Construct): Queues {
  return perQueue(name => createQueue(scope, name))
}
