// When a message that failed is received again.
import { slices } from '../table/concurrency.ts'
import type { QueueClient } from './sqs.ts'

export type ReceivedMessage = { messageId: string; body: string; received: number; receipt: string }

const BATCH_SIZE = 10

/** Makes messages visible again after so many seconds, instead of the queue's own time-out. */
export async function retryAfter(
  sqs: QueueClient,
  QueueUrl: string,
  all: { receipt: string; seconds: number }[],
): Promise<void> {
  for (const batch of slices(all, BATCH_SIZE)) {
    const Entries = batch.map(({ receipt, seconds }, n) => ({
      Id: String(n),
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }))
    const { Failed = [] } = await sqs.call('ChangeMessageVisibilityBatch', { QueueUrl, Entries })
    const [first] = Failed
    if (first) {
      throw new Error(`${Failed.length} of ${batch.length} messages failed: ${first.Message ?? first.Code}`)
    }
  }
}

const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 240

/**
 * The pause after so many receives: it doubles, and up to half of it is added at random, so that messages
 * that failed together do not come again together. 20 receives take more than an hour.
 */
export function pauseSeconds(received: number, random = Math.random()): number {
  const least = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (received - 1))
  return Math.round(least * (1 + random / 2))
}
