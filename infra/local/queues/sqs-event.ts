// The event that Lambda's SQS poller hands to a function, and how it reads the function's answer.
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import * as z from 'zod/mini'
import { REGION } from '../account.ts'

export function sqsEvent(messages: Message[], queueArn: string): SQSEvent {
  return { Records: messages.map(message => recordOf(message, queueArn)) }
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  const attributes = message.Attributes ?? {}
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...attributes,
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: attributes.SentTimestamp ?? '',
      SenderId: attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? '',
    },
    messageAttributes: attributesOf(message.MessageAttributes ?? {}),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: REGION,
  }
}

function attributesOf(given: Record<string, MessageAttributeValue>): SQSMessageAttributes {
  const converted = Object.entries(given).map(([name, value]) => [
    name,
    {
      stringValue: value.StringValue,
      binaryValue: value.BinaryValue && Buffer.from(value.BinaryValue).toString('base64'),
      stringListValues: [],
      binaryListValues: [],
      dataType: value.DataType ?? 'String',
    },
  ])
  return Object.fromEntries(converted)
}

const batchAnswer = z.nullish(
  z.object({ batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string() }))) }),
)

/**
 * The messages that are done, by ReportBatchItemFailures: all without a report; none when the report is malformed
 * or names a message that was not in the batch (Lambda then takes the whole batch as failed).
 */
export function succeeded(messages: Message[], answer: unknown): Message[] {
  const parsed = batchAnswer.safeParse(answer)
  if (!parsed.success) return []
  const failed = new Set(parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
  const known = new Set(messages.map(({ MessageId }) => MessageId))
  if ([...failed].some(id => !known.has(id))) return []
  return messages.filter(({ MessageId }) => MessageId === undefined || !failed.has(MessageId))
}
