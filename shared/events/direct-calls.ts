// The calls of the queues as SQS takes and answers them. Any other member leaves a call to the SDK.
import { hash } from 'node:crypto'
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  type SendMessageBatchCommandOutput,
} from '@aws-sdk/client-sqs'
import type { DirectCalls } from '../aws/direct.ts'
import type { DirectCall } from '../aws/direct-call.ts'
import { listOf, members, plain } from '../aws/shapes.ts'

const FAILED = listOf(members({ Id: plain, Code: plain, Message: plain, SenderFault: plain }))
const DONE = members({ Successful: listOf(members({ Id: plain })), Failed: FAILED })

const SEND: DirectCall = {
  operation: 'SendMessageBatch',
  request: members({
    QueueUrl: plain,
    Entries: listOf(
      members({
        Id: plain,
        MessageBody: plain,
        DelaySeconds: plain,
        MessageGroupId: plain,
        MessageDeduplicationId: plain,
      }),
    ),
  }),
  answer: members({
    Successful: listOf(
      members({ Id: plain, MessageId: plain, MD5OfMessageBody: plain, SequenceNumber: plain }),
    ),
    Failed: FAILED,
  }),
  isIntact: (
    { Entries = [] }: Partial<SendMessageBatchCommandInput>,
    { Successful = [] }: Partial<SendMessageBatchCommandOutput>,
  ) => {
    const sums = new Map(Successful.map(({ Id, MD5OfMessageBody }) => [Id, MD5OfMessageBody]))
    return Entries.every(({ Id, MessageBody }) => !sums.has(Id) || sums.get(Id) === md5(MessageBody))
  },
}

const RECEIVE: DirectCall = {
  operation: 'ReceiveMessage',
  request: members({
    QueueUrl: plain,
    MaxNumberOfMessages: plain,
    WaitTimeSeconds: plain,
    VisibilityTimeout: plain,
    MessageSystemAttributeNames: plain,
  }),
  answer: members({
    Messages: listOf(
      members({
        MessageId: plain,
        ReceiptHandle: plain,
        MD5OfBody: plain,
        Body: plain,
        Attributes: plain,
      }),
    ),
  }),
  isIntact: (_, { Messages = [] }: Partial<ReceiveMessageCommandOutput>) =>
    Messages.every(({ Body, MD5OfBody }) => md5(Body) === MD5OfBody),
}

const DELETE: DirectCall = {
  operation: 'DeleteMessage',
  request: members({ QueueUrl: plain, ReceiptHandle: plain }),
  answer: members({}),
}

const DELETE_BATCH: DirectCall = {
  operation: 'DeleteMessageBatch',
  request: members({ QueueUrl: plain, Entries: listOf(members({ Id: plain, ReceiptHandle: plain })) }),
  answer: DONE,
}

const CHANGE_VISIBILITY: DirectCall = {
  operation: 'ChangeMessageVisibilityBatch',
  request: members({
    QueueUrl: plain,
    Entries: listOf(members({ Id: plain, ReceiptHandle: plain, VisibilityTimeout: plain })),
  }),
  answer: DONE,
}

export const QUEUE_CALLS: DirectCalls = {
  calls: new Map<unknown, DirectCall>([
    [SendMessageBatchCommand, SEND],
    [ReceiveMessageCommand, RECEIVE],
    [DeleteMessageCommand, DELETE],
    [DeleteMessageBatchCommand, DELETE_BATCH],
    [ChangeMessageVisibilityBatchCommand, CHANGE_VISIBILITY],
  ]),
  // By default the SDK calls the host in the queue's URL.
  routeKeyOf: ({ QueueUrl }: { QueueUrl?: string }) => String(QueueUrl),
}

function md5(text = ''): string {
  return hash('md5', text)
}
