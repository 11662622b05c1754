// Receives messages from a queue, for a worker that polls for more than the batch it was invoked with.
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs'
import { slices } from '../table/concurrency.ts'
import type { QueueClient } from './sqs.ts'

export type ReceivedMessage = { messageId: string; body: string; received: number; receipt: string }
export type Receiver = ReturnType<typeof openReceiver>

const BATCH_SIZE = 10
const VISIBILITY_SECONDS = 60

/** A received message stays invisible for longer than a run lasts. If the run dies, it is received again. */
export function openReceiver(sqs: QueueClient, QueueUrl: string, visibilitySeconds = VISIBILITY_SECONDS) {
  /** Receives up to ten messages. Waits for the first one for at most `waitSeconds`. */
  const receive = async (waitSeconds: number): Promise<ReceivedMessage[]> => {
    const { Messages } = await sqs.call('ReceiveMessage', {
      QueueUrl,
      MaxNumberOfMessages: BATCH_SIZE,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    })
    return (Messages ?? []).map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }) => ({
      messageId: MessageId,
      body: Body,
      received: Number(Attributes?.ApproximateReceiveCount ?? 1),
      receipt: ReceiptHandle,
    }))
  }

  const remove = async ({ receipt }: ReceivedMessage): Promise<void> => {
    await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle: receipt })
  }

  const removeMany = async (all: ReceivedMessage[]): Promise<void> => {
    for (const batch of slices(all, BATCH_SIZE)) {
      const Entries = batch.map(({ receipt }, n) => ({ Id: String(n), ReceiptHandle: receipt }))
      const { Failed } = await sqs.call('DeleteMessageBatch', { QueueUrl, Entries })
      throwFirst(Failed, batch.length)
    }
  }

  /** Makes messages visible again after so many seconds, instead of the queue's own time-out. */
  const retryAfter = async (all: { receipt: string; seconds: number }[]): Promise<void> => {
    for (const batch of slices(all, BATCH_SIZE)) {
      const Entries = batch.map(({ receipt, seconds }, n) => ({
        Id: String(n),
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }))
      const { Failed } = await sqs.call('ChangeMessageVisibilityBatch', { QueueUrl, Entries })
      throwFirst(Failed, batch.length)
    }
  }

  return { receive, remove, removeMany, retryAfter }
}

function throwFirst(failed: BatchResultErrorEntry[] = [], count: number): void {
  const [first] = failed
  if (first) throw new Error(`${failed.length} of ${count} messages failed: ${first.Message ?? first.Code}`)
}

const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 240

/** The back-off after so many receives. Most retries succeed soon; 20 of them take more than an hour. */
export function pauseSeconds(received: number): number {
  return Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (received - 1))
}
