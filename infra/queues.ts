// The queues and their dead-letter queues: encrypted, TLS only. Messages survive a weekend and a redrive.
import { CfnOutput, Duration } from 'aws-cdk-lib'
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { MAX_RECEIVES, perQueue, QUEUES, type QueueName } from '../shared/events/message.ts'
import { deliveryDelaySeconds, visibilitySeconds } from '../shared/service/workers.ts'
import { capitalized, queueOutputs } from './names.ts'

export type Queues = Record<QueueName, Queue>

/** Order matters only within a group, so the throughput limit applies to each group. */
const FIFO = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
}

function createQueue(scope: Construct, name: QueueName): Queue {
  const fifo = QUEUES[name].isFifo && FIFO
  const delaySeconds = deliveryDelaySeconds(name)
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
    ...(delaySeconds > 0 && { deliveryDelay: Duration.seconds(delaySeconds) }),
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
