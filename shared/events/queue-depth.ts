// The approximate number of messages in a queue.
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'

const DEPTH_ATTRIBUTES = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const

/** Counts messages that wait, are in flight or are delayed. */
export async function queueDepth(sqs: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...DEPTH_ATTRIBUTES] }),
  )
  return DEPTH_ATTRIBUTES.reduce((all, name) => all + Number(Attributes[name] ?? 0), 0)
}
