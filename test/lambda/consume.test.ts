// A batch of a queue: who fails, who is held up by it, and when what failed comes again.
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../infra/local/account.ts'
import { type Sqs, startSqs } from '../../infra/local/queues/fauxqs.ts'
import { sqsEvent } from '../../infra/local/queues/sqs-event.ts'
import { pauseSeconds } from '../../shared/events/receiver.ts'
import { openSender } from '../../shared/events/sender.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { consumeOn } from '../../shared/lambda/consume-on.ts'
import { consumeTogether } from '../../shared/lambda/consume-together.ts'
import { readEnvironment } from '../../shared/lambda/environment.ts'
import type { Runtime } from '../../shared/lambda/runtime.ts'
import { indexMessage } from '../../shared/search/doc.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import { startTable, type TableWorld } from '../world/table.ts'
import { until } from '../world/until.ts'

const NAME = 'IndexQueue.fifo'
/** As the stack has it: six times what the function may take. */
const VISIBILITY_SECONDS = 720

let table: TableWorld
let sqs: Sqs
let client: SQSClient
beforeAll(async () => {
  ;[table, sqs] = await Promise.all([startTable(), startSqs()])
  client = new SQSClient(clientOf(sqs.endpoint))
  const Attributes = { FifoQueue: 'true', VisibilityTimeout: String(VISIBILITY_SECONDS) }
  await client.send(new CreateQueueCommand({ QueueName: NAME, Attributes }))
})
afterAll(() => Promise.all([table.stop(), sqs.stop()]))
afterEach(() => vi.restoreAllMocks())

const receive = async (postIds: number[]) => {
  const QueueUrl = sqs.queueUrl(NAME)
  await openSender(client, () => QueueUrl).send(postIds.map(indexMessage))
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  )
  expect(Messages).toHaveLength(postIds.length)
  return sqsEvent(Messages, 'arn:aws:sqs:us-east-1:1:queue')
}

const openWorld = (): Runtime => ({
  environment: readEnvironment({
    TABLE_NAME: 'test',
    SITE_URL: 'https://service.example',
    INDEX_QUEUE_URL: sqs.queueUrl(NAME),
  }),
  table: table.table,
  sqs: client,
  sender: openSender(client, () => sqs.queueUrl(NAME)),
  clock: Date.now,
  log: () => undefined,
})

type Consumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/** The posts of the messages that a consumer failed for. */
const failedOf = async (consumer: Consumer, postIds: number[]): Promise<number[]> => {
  const event = await receive(postIds)
  const { batchItemFailures } = await consumer(event)
  const failed = event.Records.filter(({ messageId }) =>
    batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId),
  )
  return failed.map(({ body }) => JSON.parse(body).post_id)
}

/** What a handler of batches was called with, and the posts of the messages that it failed for. */
const consumeBy = async (postIds: number[], handle: (ids: number[]) => Promise<void>) => {
  const calls: number[][] = []
  const consumer = consumeTogether(
    'index',
    async messages => {
      const ids = messages.map(({ post_id }) => post_id)
      calls.push(ids)
      await handle(ids)
    },
    openWorld,
  )
  return { failed: await failedOf(consumer, postIds), calls }
}

/** In how many seconds the message of a post is handed out again. */
const comesAgainIn = (postId: number): number => {
  const inFlight = sqs.inspect(NAME)?.messages.inflight ?? []
  const found = inFlight.find(({ message }) => JSON.parse(message.body).post_id === postId)
  return ((found?.visibilityDeadline ?? 0) - Date.now()) / 1000
}

/** On a machine that may be busy meanwhile. */
const expectAgainIn = (postId: number, seconds: number) => {
  expect(comesAgainIn(postId)).toBeLessThanOrEqual(seconds)
  expect(comesAgainIn(postId)).toBeGreaterThan(seconds - 5)
}

describe.each([
  { name: 'consume', consumeIn: consume, bad: 8 },
  { name: 'consumeOn', consumeIn: consumeOn, bad: 11 },
])('$name', ({ consumeIn, bad }) => {
  it('fails for the one message of a batch that failed, which comes again after seconds', async () => {
    const consumer = consumeIn(
      'index',
      async ({ post_id }) => {
        if (post_id === bad) throw new Error('No.')
      },
      openWorld,
    )
    expect(await failedOf(consumer, [bad - 1, bad, bad + 1])).toEqual([bad])
    expectAgainIn(bad, pauseSeconds(1))
  })
})

describe('a batch of which one message fails', () => {
  it('is done but for that one, which comes again after seconds', async () => {
    const { calls, failed } = await consumeBy([1, 2, 3], async ids => {
      if (ids.includes(2)) throw new Error('No.')
    })
    expect(calls).toEqual([[1, 2, 3], [1], [2], [3]])
    expect(failed).toEqual([2])
    expectAgainIn(2, pauseSeconds(1))
  })

  it('comes again once its run is over, should that be cut off', async () => {
    const most = QUEUE_WORKERS['index-search']?.timeoutSeconds ?? 0
    await consumeBy([6], async () => {
      await until('the queue to know', async () => comesAgainIn(6) < VISIBILITY_SECONDS - 1)
      expectAgainIn(6, most + 10)
    })
  })

  it('ends before its function is cut off: what would come too late is left for another run', async () => {
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const { calls, failed } = await consumeBy([4, 5], async () => {
      lateMs += 60_000
      throw new Error('The index is being rebuilt.')
    })
    expect(calls).toEqual([[4, 5]])
    expect(failed).toEqual([4, 5])
    for (const id of [4, 5]) expectAgainIn(id, pauseSeconds(1))
  })
})

describe('a message that fails again and again', () => {
  it('is tried for at least an hour before it is among the dead letters', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })
})
