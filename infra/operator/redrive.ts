// Moves dead letters back to their queue, sending before deleting: a crash may duplicate but not lose one.
// The local emulator lacks the redrive of SQS, so this does it in both places.
import { randomUUID } from 'node:crypto'
import type { QueueClient } from '../../shared/events/sqs.ts'
import type { QueueUrls } from './target.ts'

const BATCH = 10
/** Long polling asks all servers of a queue; short polling may miss messages. */
const WAIT_SECONDS = 1
/** Longer than sending ten messages takes. A message that was not sent becomes visible again after it. */
const VISIBILITY_SECONDS = 60

/** SQS only knows about how many there are. */
export async function countDeadLetters(sqs: QueueClient, { deadLettersUrl }: QueueUrls): Promise<number> {
  const { Attributes } = await sqs.call('GetQueueAttributes', {
    QueueUrl: deadLettersUrl,
    AttributeNames: ['ApproximateNumberOfMessages'],
  })
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
}

export type RedriveResult = { moved: number; refused: number }

/** Runs until no dead letter is visible. Calls `onMoved` with the number moved so far. */
export async function redrive(
  sqs: QueueClient,
  urls: QueueUrls,
  onMoved: (moved: number) => void,
): Promise<RedriveResult> {
  const result: RedriveResult = { moved: 0, refused: 0 }
  for (;;) {
    const deadLetters = await receive(sqs, urls.deadLettersUrl)
    if (deadLetters.length === 0) return result
    const sent = await send(sqs, urls.url, deadLetters)
    await remove(sqs, urls.deadLettersUrl, sent)
    result.moved += sent.length
    result.refused += deadLetters.length - sent.length
    onMoved(result.moved)
  }
}

type DeadLetter = { id: string; body: string; group: string | undefined; receipt: string }

async function receive(sqs: QueueClient, QueueUrl: string): Promise<DeadLetter[]> {
  const { Messages = [] } = await sqs.call('ReceiveMessage', {
    QueueUrl,
    MaxNumberOfMessages: BATCH,
    WaitTimeSeconds: WAIT_SECONDS,
    VisibilityTimeout: VISIBILITY_SECONDS,
    MessageSystemAttributeNames: ['MessageGroupId'],
  })
  return Messages.map(({ Body = '', ReceiptHandle = '', Attributes }, n) => ({
    id: String(n),
    body: Body,
    group: Attributes?.MessageGroupId,
    receipt: ReceiptHandle,
  }))
}

async function send(sqs: QueueClient, QueueUrl: string, deadLetters: DeadLetter[]): Promise<DeadLetter[]> {
  const Entries = deadLetters.map(({ id, body, group }) => ({
    Id: id,
    MessageBody: body,
    MessageGroupId: group,
    MessageDeduplicationId: QueueUrl.endsWith('.fifo') ? randomUUID() : undefined,
  }))
  const { Successful = [] } = await sqs.call('SendMessageBatch', { QueueUrl, Entries })
  const sent = new Set(Successful.map(({ Id }) => Id))
  return deadLetters.filter(({ id }) => sent.has(id))
}

async function remove(sqs: QueueClient, QueueUrl: string, deadLetters: DeadLetter[]): Promise<void> {
  if (deadLetters.length === 0) return
  const Entries = deadLetters.map(({ id, receipt }) => ({ Id: id, ReceiptHandle: receipt }))
  await sqs.call('DeleteMessageBatch', { QueueUrl, Entries })
}
