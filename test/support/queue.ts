// Passes the messages of a queue to a function until none is left, like Lambda's poller, but without waits.

import { CreateQueueCommand, type Message, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse } from 'aws-lambda'
import { clientSettings } from '../../infra/local/account.ts'
import { recordOf, succeeded } from '../../infra/local/poller.ts'
import type { QueueClient } from '../../shared/events/sqs.ts'
import type { QueueEvent } from '../../shared/lambda/consume.ts'

export type Consumer = (event: QueueEvent) => Promise<SQSBatchResponse>
/** The numbers of messages that were done and deleted, and of those that failed and stay. */
export type ConsumeResult = { done: number; failed: number }

const BATCH = 10

/** Names that end with `.fifo` become FIFO queues. */
export async function createQueues(
  endpoint: string,
  names: string[],
  attributes: Record<string, string> = {},
): Promise<void> {
  const client = new SQSClient(clientSettings(endpoint))
  for (const QueueName of names) {
    const Attributes = { ...attributes, ...(QueueName.endsWith('.fifo') && { FifoQueue: 'true' }) }
    await client.send(new CreateQueueCommand({ QueueName, Attributes }))
  }
  client.destroy()
}

export async function consumeAll(
  { call }: QueueClient,
  QueueUrl: string,
  consumer: Consumer,
): Promise<ConsumeResult> {
  const consumed = { done: 0, failed: 0 }
  for (;;) {
    const { Messages: messages = [] } = await call('ReceiveMessage', {
      QueueUrl,
      MaxNumberOfMessages: BATCH,
      MessageSystemAttributeNames: ['All'],
    })
    if (messages.length === 0) return consumed
    const done = succeeded(messages, await consumer(eventOf(messages)))
    consumed.done += done.length
    consumed.failed += messages.length - done.length
    const Entries = done.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }))
    if (Entries.length > 0) await call('DeleteMessageBatch', { QueueUrl, Entries })
  }
}

/** An event with these bodies, as the poller sends it. A string is not serialized. */
export function batchOf(...bodies: unknown[]): QueueEvent {
  return eventOf(
    bodies.map((body, n) => ({
      MessageId: `message-${n}`,
      Body: typeof body === 'string' ? body : JSON.stringify(body),
    })),
  )
}

function eventOf(messages: Message[]): QueueEvent {
  return { Records: messages.map(recordOf) }
}
