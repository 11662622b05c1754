// The way out of a queue, for a worker that takes messages beside those it is handed.
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'

export type Taken = { messageId: string; body: string; received: number; receipt: string }
export type Receiver = ReturnType<typeof openReceiver>

const MOST = 10

export const openReceiver = (sqs: SQSClient, QueueUrl: string) => {
  /** Up to ten messages, waiting at most `waitSeconds` for the first. */
  const take = async (waitSeconds: number): Promise<Taken[]> => {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST,
        WaitTimeSeconds: waitSeconds,
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

  return { take, remove }
}
