// A batch of a queue: who fails, who is held up by it, and when what failed comes again.
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../infra/local/account.ts'
import { type Sqs, startSqs } from '../../infra/local/queues/fauxqs.ts'
import { sqsEvent } from '../../infra/local/queues/sqs-event.ts'
import { MOST_RECEIVES } from '../../shared/events/message.ts'
import { openReceiver, pauseSeconds } from '../../shared/events/receiver.ts'
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

describe('a message that fails', () => {
  it.each([
    [1, 'debug'],
    [MOST_RECEIVES - 1, 'debug'],
    [MOST_RECEIVES, 'error'],
  ])(
    'is logged at its try number %i as %s, since only after the last it has failed for good',
    async (received, level) => {
      const logged: string[] = []
      const world = { ...openWorld(), log: (...[at]: Parameters<Runtime['log']>) => void logged.push(at) }
      const [record] = (await receive([1])).Records
      if (!record) throw new Error('No message came.')
      const attributes = { ...record.attributes, ApproximateReceiveCount: String(received) }
      const fail = consume(
        'index',
        () => Promise.reject(new Error('A conflict.')),
        () => world,
      )
      await fail({ Records: [{ ...record, attributes }] })
      expect(logged).toEqual([level])
      await client.send(
        new DeleteMessageCommand({ QueueUrl: sqs.queueUrl(NAME), ReceiptHandle: record.receiptHandle }),
      )
    },
  )
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

type HandleIds = (ids: number[]) => Promise<unknown[]>
const goWell: HandleIds = async ids => ids.map(() => undefined)

/** A consumer of many messages at once, and the posts that its handler was called with, in order. */
const togetherBy = (handle: HandleIds) => {
  const calls: number[][] = []
  const consumer = consumeTogether(
    'index',
    async messages => {
      const ids = messages.map(({ post_id }) => post_id)
      calls.push(ids.toSorted((a, b) => a - b))
      return await handle(ids)
    },
    openWorld,
  )
  return { consumer, calls }
}

/** The same, of messages that it is handed alone: the posts that it failed for. */
const consumeBy = async (postIds: number[], handle: HandleIds) => {
  const { consumer, calls } = togetherBy(handle)
  return { failed: await failedOf(consumer, postIds), calls }
}

const send = (postIds: number[]) =>
  openSender(client, () => sqs.queueUrl(NAME)).send(postIds.map(indexMessage))
const waiting = (): number => sqs.depth(NAME).visible

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
    const { calls, failed } = await consumeBy([1, 2, 3], async ids =>
      ids.map(id => (id === 2 ? new Error('No.') : undefined)),
    )
    expect(calls).toEqual([[1, 2, 3]])
    expect(failed).toEqual([2])
    expectAgainIn(2, pauseSeconds(1))
  })

  it('fails as a whole where nobody can say for which of them', async () => {
    const { failed } = await consumeBy([14, 15], async () => {
      throw new Error('The table is gone.')
    })
    expect(failed).toEqual([14, 15])
  })

  it('comes again once its run is over, should that be cut off', async () => {
    const most = QUEUE_WORKERS['index-search']?.timeoutSeconds ?? 0
    await consumeBy([6], async ids => {
      await until('the queue to know', async () => comesAgainIn(6) < VISIBILITY_SECONDS - 1)
      expectAgainIn(6, most + 10)
      return await goWell(ids)
    })
  })
})

/** Handed out as often as it says. */
const triedBefore = async (tries: Record<number, number>): Promise<SQSEvent> => {
  const { Records } = await receive(Object.keys(tries).map(Number))
  return {
    Records: Records.map(record => {
      const ApproximateReceiveCount = String(tries[JSON.parse(record.body).post_id])
      return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount } }
    }),
  }
}

describe('messages that wait beside a batch', () => {
  it('are taken by its run, done with it and deleted', async () => {
    const beside = Array.from({ length: 25 }, (_, n) => 200 + n)
    const event = await receive([100, 101])
    await send(beside)
    const { consumer, calls } = togetherBy(goWell)
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    expect(calls).toEqual([[100, 101, ...beside]])
    expect(waiting()).toBe(0)
    for (const id of beside) expect(comesAgainIn(id)).toBeLessThan(0)
  })

  it('stay in the queue while the batch has messages that failed before, which are done alone', async () => {
    const event = await triedBefore({ 120: 3, 121: 1 })
    const beside = Array.from({ length: 25 }, (_, n) => 230 + n)
    await send(beside)
    const { consumer, calls } = togetherBy(goWell)
    await consumer(event)
    expect(calls).toEqual([[121], [120]])
    expect(waiting()).toBe(25)
    await consumer({ Records: [] })
    expect(calls.slice(2)).toEqual([beside])
    expect(waiting()).toBe(0)
  })

  it('stay in the queue as soon as one of those that were taken failed before', async () => {
    const again = [260, 270].map(from => Array.from({ length: 10 }, (_, n) => from + n))
    const events: SQSEvent[] = []
    for (const ids of again) events.push(await receive(ids))
    const taken = events.flatMap(({ Records }) => Records)
    await openReceiver(client, sqs.queueUrl(NAME)).showAgain(
      taken.map(({ receiptHandle }) => ({ receipt: receiptHandle, seconds: 0 })),
    )
    const { consumer } = togetherBy(goWell)
    await consumer({ Records: [] })
    expect(waiting()).toBe(10)
    await consumer({ Records: [] })
    expect(waiting()).toBe(0)
  })

  it('come again after seconds where they fail', async () => {
    const event = await receive([110])
    await send([111, 112])
    const { consumer } = togetherBy(async ids => ids.map(id => (id === 111 ? new Error('No.') : undefined)))
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    expectAgainIn(111, pauseSeconds(1))
    expect(comesAgainIn(112)).toBeLessThan(0)
  })
})

describe('messages that failed before', () => {
  it('are tried after all others: together with a few the second time, then alone', async () => {
    const event = await triedBefore({ 20: 3, 21: 2, 22: 1, 23: 9, 24: 2, 25: 1 })
    const { consumer, calls } = togetherBy(goWell)
    await consumer(event)
    expect(calls.slice(0, 2)).toEqual([
      [22, 25],
      [21, 24],
    ])
    expect(calls.slice(2).toSorted()).toEqual([[20], [23]])
  })

  it('are left for another run where there is no time for them any more', async () => {
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const event = await triedBefore({ 30: 1, 31: 3 })
    const { consumer, calls } = togetherBy(async () => {
      lateMs += 60_000
      throw new Error('The index is being rebuilt.')
    })
    expect((await consumer(event)).batchItemFailures).toHaveLength(2)
    expect(calls).toEqual([[30]])
    expectAgainIn(31, pauseSeconds(3))
  })
})

describe('a message that fails again and again', () => {
  it('is tried for at least an hour before it is among the dead letters', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })
})
