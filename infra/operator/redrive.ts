// Dead letters back into their queue. Sent first and deleted then: a crash in between leaves a message in both, which
// every consumer bears, and never in none. SQS can move by itself, but not on one machine: one way serves both.
import { randomUUID } from 'node:crypto'
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { QueueUrls } from './target.ts'

const BATCH = 10
/** Asks all the servers of a queue, where a shorter look may find nothing though there is something. */
const WAIT_SECONDS = 1
/** Ours alone for longer than it takes to send ten; whatever then stays shows again. */
const HELD_SECONDS = 60

/** About how many there are: SQS does not count exactly. */
export async function countDeadLetters(sqs: SQSClient, { deadLettersUrl }: QueueUrls): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: deadLettersUrl,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  )
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
}

export type Redriven = { moved: number; refused: number }

/** Until none is left to be seen. `onMoved` hears how many there were so far. */
export async function redrive(
  sqs: SQSClient,
  urls: QueueUrls,
  onMoved: (moved: number) => void,
): Promise<Redriven> {
  const sofar: Redriven = { moved: 0, refused: 0 }
  for (;;) {
    const letters = await take(sqs, urls.deadLettersUrl)
    if (letters.length === 0) return sofar
    const sent = await send(sqs, urls.url, letters)
    await remove(sqs, urls.deadLettersUrl, sent)
    sofar.moved += sent.length
    sofar.refused += letters.length - sent.length
    onMoved(sofar.moved)
  }
}

type Letter = { id: string; body: string; group: string | undefined; receipt: string }

async function take(sqs: SQSClient, QueueUrl: string): Promise<Letter[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: BATCH,
      WaitTimeSeconds: WAIT_SECONDS,
      VisibilityTimeout: HELD_SECONDS,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
  )
  return Messages.map(({ Body = '', ReceiptHandle = '', Attributes }, n) => ({
    id: String(n),
    body: Body,
    group: Attributes?.MessageGroupId,
    receipt: ReceiptHandle,
  }))
}

async function send(sqs: SQSClient, QueueUrl: string, letters: Letter[]): Promise<Letter[]> {
  const Entries = letters.map(({ id, body, group }) => ({
    Id: id,
    MessageBody: body,
    MessageGroupId: group,
    MessageDeduplicationId: QueueUrl.endsWith('.fifo') ? randomUUID() : undefined,
  }))
  const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  const sent = new Set(Successful.map(({ Id }) => Id))
  return letters.filter(({ id }) => sent.has(id))
}

async function remove(sqs: SQSClient, QueueUrl: string, letters: Letter[]): Promise<void> {
  if (letters.length === 0) return
  const Entries = letters.map(({ id, receipt }) => ({ Id: id, ReceiptHandle: receipt }))
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
}
