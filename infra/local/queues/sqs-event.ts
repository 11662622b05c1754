// The event of Lambda's SQS poller, and the evaluation of the function's answer.
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

function attributesOf(attributes: Record<string, MessageAttributeValue>): SQSMessageAttributes {
  const converted = Object.entries(attributes).map(([name, value]) => [
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
 * The succeeded messages by ReportBatchItemFailures: all without a report, none if the report is malformed or
 * contains an unknown message, because Lambda then retries the whole batch.
 */
export function succeeded(messages: Message[], answer: unknown): Message[] {
  const parsed = batchAnswer.safeParse(answer)
  if (!parsed.success) return []
  const failed = new Set(parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
  const ids = new Set(messages.map(({ MessageId }) => MessageId))
  if ([...failed].some(id => !ids.has(id))) return []
  return messages.filter(({ MessageId }) => MessageId === undefined || !failed.has(MessageId))
}
