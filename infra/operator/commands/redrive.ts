// The command that sends dead letters to their queues again. It sends each before it deletes it: a crash may
// duplicate one but loses none. The local emulator lacks the redrive of SQS, so this does it in both places.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { QUEUE_NAMES, type QueueName } from '../../../shared/events/message.ts'
import type { QueueClient } from '../../../shared/events/sqs.ts'
import { command, value } from '../command.ts'
import type { QueueUrls } from '../target.ts'

const Queue = z.enum(QUEUE_NAMES, `Must be one of ${QUEUE_NAMES.join(', ')}.`)

export const redrive = command({
  name: 'redrive',
  summary: 'Send dead letters to their queues again',
  details: `  Without QUEUE, it does so for all queues. First repair what made the messages fail, or they are dead letters again
  after an hour. Nothing is sent twice: deliveries and mails are claimed before they are sent.`,
  args: { queue: value('QUEUE', QUEUE_NAMES.join(', '), z.optional(Queue)) },
  run: async ({ queue }, { target: { sqs, queueUrls }, progress }) => {
    const redriveOne = async (name: QueueName) => {
      const show = (moved: number) => progress.show(`${name}: sent ${moved} again`)
      return { queue: name, ...(await moveDeadLetters(sqs, queueUrls(name), show)) }
    }
    const all = await Promise.all((queue ? [queue] : QUEUE_NAMES).map(redriveOne))
    return { lines: all.map(lineOf), json: all, failed: all.some(({ refused }) => refused > 0) }
  },
})

function lineOf({ queue, moved, refused }: RedriveResult & { queue: QueueName }): string {
  const rest = refused === 0 ? '' : ` The queue refused ${refused}. Run it again in a minute.`
  return `${queue}: ${moved} sent again.${rest}`
}

const BATCH = 10
/** Long polling asks all servers of a queue; short polling may miss messages. */
const WAIT_SECONDS = 1
/** Longer than sending ten messages takes. A message that was not sent becomes visible again after it. */
const VISIBILITY_SECONDS = 60

type RedriveResult = { moved: number; refused: number }

/** Runs until no dead letter is visible. Calls `onMoved` with the number moved so far. */
export async function moveDeadLetters(
  sqs: QueueClient,
  { url, deadLettersUrl }: QueueUrls,
  onMoved: (moved: number) => void,
): Promise<RedriveResult> {
  const result: RedriveResult = { moved: 0, refused: 0 }
  for (;;) {
    const { Messages = [] } = await sqs.call('ReceiveMessage', {
      QueueUrl: deadLettersUrl,
      MaxNumberOfMessages: BATCH,
      WaitTimeSeconds: WAIT_SECONDS,
      VisibilityTimeout: VISIBILITY_SECONDS,
      MessageSystemAttributeNames: ['MessageGroupId'],
    })
    if (Messages.length === 0) return result
    const copies = Messages.map(({ Body, Attributes }, n) => ({
      Id: String(n),
      MessageBody: Body,
      MessageGroupId: Attributes?.MessageGroupId,
      MessageDeduplicationId: url.endsWith('.fifo') ? randomUUID() : undefined,
    }))
    const { Successful = [] } = await sqs.call('SendMessageBatch', { QueueUrl: url, Entries: copies })
    const sent = Successful.map(({ Id }) => ({ Id, ReceiptHandle: Messages[Number(Id)]?.ReceiptHandle }))
    if (sent.length > 0) await sqs.call('DeleteMessageBatch', { QueueUrl: deadLettersUrl, Entries: sent })
    result.moved += sent.length
    result.refused += Messages.length - sent.length
    onMoved(result.moved)
  }
}
