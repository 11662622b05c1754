// The way out of a queue, for a worker that takes messages beside those it is handed.
import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { slices } from '../table/concurrency.ts'

export type Taken = { messageId: string; body: string; received: number; receipt: string }
export type Receiver = ReturnType<typeof openReceiver>

const MOST = 10
const TAKEN_FOR_SECONDS = 60

/** A message is taken for longer than its run lasts; should that die, the message comes again. */
export function openReceiver(sqs: SQSClient, QueueUrl: string, takenForSeconds = TAKEN_FOR_SECONDS) {
  /** Up to ten messages, waiting at most `waitSeconds` for the first. */
  const take = async (waitSeconds: number): Promise<Taken[]> => {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: takenForSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
    return (Messages ?? []).map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }) => ({
      messageId: MessageId,
      body: Body,
      received: Number(Attributes?.ApproximateReceiveCount ?? 1),
      receipt: ReceiptHandle,
    }))
  }

  const remove = async ({ receipt }: Taken): Promise<void> => {
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }))
  }

  const removeMany = async (all: Taken[]): Promise<void> => {
    for (const batch of slices(all, MOST)) {
      const Entries = batch.map(({ receipt }, n) => ({ Id: String(n), ReceiptHandle: receipt }))
      const { Failed } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
      throwFirst(Failed, batch.length)
    }
  }

  /** Messages show again after so long from now, whatever their queue says. */
  const retryAfter = async (all: { receipt: string; seconds: number }[]): Promise<void> => {
    for (const batch of slices(all, MOST)) {
      const Entries = batch.map(({ receipt, seconds }, n) => ({
        Id: String(n),
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }))
      const { Failed } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }))
      throwFirst(Failed, batch.length)
    }
  }

  return { take, remove, removeMany, retryAfter }
}

function throwFirst(failed: BatchResultErrorEntry[] = [], count: number): void {
  const [first] = failed
  if (first) throw new Error(`${failed.length} of ${count} could not: ${first.Message ?? first.Code}`)
}

const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 240

/** After so many receives. Mostly it goes well a moment later; what does not is tried 20 times in more than an hour. */
export function pauseSeconds(received: number): number {
  return Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (received - 1))
}
