// The way out of a queue, for a worker that takes messages beside those it is handed.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'

export type Taken = { messageId: string; body: string; received: number; receipt: string }
export type Receiver = ReturnType<typeof openReceiver>

const MOST = 10
/** A message that was taken is done long before; should its run die, it comes again. */
const TAKEN_FOR_SECONDS = 60

export const openReceiver = (sqs: SQSClient, QueueUrl: string) => {
  /** Up to ten messages, waiting at most `waitSeconds` for the first. */
  const take = async (waitSeconds: number): Promise<Taken[]> => {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: TAKEN_FOR_SECONDS,
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

  /** Messages of one batch show again after so long from now, whatever their queue says. */
  const showAgain = async (batch: { receipt: string; seconds: number }[]): Promise<void> => {
    const Entries = batch.map(({ receipt, seconds }, n) => ({
      Id: String(n),
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }))
    const { Failed = [] } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }))
    const [first] = Failed
    if (first)
      throw new Error(`${Failed.length} of ${batch.length} could not: ${first.Message ?? first.Code}`)
  }

  return { take, remove, showAgain }
}

const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 240

/** After so many receives. Mostly it goes well a moment later; what does not is tried 20 times in more than an hour. */
export const pauseSeconds = (received: number): number =>
  Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (received - 1))
