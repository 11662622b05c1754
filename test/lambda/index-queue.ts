// The index queue, a table, and the runtime of a function that consumes the queue.
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { expect } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { recordOf } from '../../infra/local/poller.ts'
import { openSender, openSqs } from '../../shared/events/sqs.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { INDEX_MESSAGE } from '../../shared/search/index-actions.ts'
import { newTable } from '../support/new-table.ts'
import { type Consumer, createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'

const NAME = 'IndexQueue.fifo'
/** As in the stack: six times the time-out of the function. */
const VISIBILITY_SECONDS = 720

export async function openIndexQueue() {
  const [table, sqs] = await Promise.all([newTable(), startSqs()])
  const client = openSqs(clientSettings(sqs.endpoint))
  await createQueues(sqs.endpoint, [NAME], { VisibilityTimeout: String(VISIBILITY_SECONDS) })
  const QueueUrl = sqs.queueUrl(NAME)
  // A minute passes between two messages, so that none is combined with another.
  let nowMs = 0
  const sender = openSender(
    client,
    () => QueueUrl,
    () => (nowMs += 60_000),
  )
  /** Each in a group of its own, so that one receive returns all. */
  const send = (groups: string[]) => sender.send(groups.map(group => ({ ...INDEX_MESSAGE, group })))

  let receivedMs = 0
  const sendAndReceive = async (groups: string[]): Promise<SQSEvent> => {
    await send(groups)
    receivedMs = Date.now()
    const { Messages = [] } = await client.call('ReceiveMessage', {
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    })
    expect(Messages).toHaveLength(groups.length)
    return { Records: Messages.map(message => recordOf(message, QueueUrl)) }
  }

  const openRuntime = (): Runtime => ({
    environment: readEnvironment({
      TABLE_NAME: 'test',
      SITE_URL: 'https://service.example',
      INDEX_QUEUE_URL: QueueUrl,
    }),
    table: table.table,
    sqs: client,
    sender,
    clock: Date.now,
    log: () => undefined,
  })

  /** Runs the consumer on a message of each group. Returns the groups whose messages failed. */
  const consumeGroups = async (consumer: Consumer, groups: string[]) => {
    const event = await sendAndReceive(groups)
    const { batchItemFailures } = await consumer(event)
    const failed = event.Records.filter(({ messageId }) =>
      batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId),
    )
    return failed.map(({ attributes }) => attributes.MessageGroupId)
  }

  const deadlineOf = (group: string): number => {
    const inFlight = sqs.inspect(NAME)?.messages.inflight ?? []
    const delivery = inFlight.find(({ message }) => message.messageGroupId === group)
    return delivery?.visibilityDeadline ?? 0
  }
  /** The seconds began at some moment between the last receive and now: a busy machine may be slow. */
  const expectVisibleIn = (group: string, leastSeconds: number, mostSeconds: number) => {
    const deadline = deadlineOf(group)
    expect(deadline).toBeGreaterThanOrEqual(receivedMs + leastSeconds * 1000)
    expect(deadline).toBeLessThanOrEqual(Date.now() + mostSeconds * 1000)
  }

  return {
    sendAndReceive,
    remove: ({ receiptHandle: ReceiptHandle }: SQSRecord) =>
      client.call('DeleteMessage', { QueueUrl, ReceiptHandle }),
    openRuntime,
    consumeGroups,
    expectVisibleIn,
    stop: () => Promise.all([table.stop(), sqs.stop()]),
  }
}

export type IndexQueue = Awaited<ReturnType<typeof openIndexQueue>>
