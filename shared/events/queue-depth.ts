// How many messages wait in a queue. SQS counts approximately.
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'

const COUNTED = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const

/** Those that wait, are being done and are delayed, together. */
export async function queueDepth(sqs: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTED] }),
  )
  return COUNTED.reduce((all, name) => all + Number(Attributes[name] ?? 0), 0)
}
