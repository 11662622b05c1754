// A run that receives further messages: which are handled together, and when failed ones are retried.
import type { SQSEvent } from 'aws-lambda'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pauseSeconds } from '../../shared/events/receiver.ts'
import { consumeBatch } from '../../shared/lambda/consume-batch.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { openIndexQueue, VISIBILITY_SECONDS } from './index-queue.ts'

const queue = use(openIndexQueue)
afterEach(() => vi.restoreAllMocks())

type HandleIds = (ids: number[]) => Promise<unknown[]>
const succeed: HandleIds = async ids => ids.map(() => undefined)

/** A batch consumer, and the posts of each call of its handler, in order. */
function openConsumer(handle: HandleIds) {
  const calls: number[][] = []
  const consumer = consumeBatch(
    'index',
    async messages => {
      const ids = messages.map(({ post_id }) => post_id)
      calls.push(ids.toSorted((a, b) => a - b))
      return await handle(ids)
    },
    queue.openRuntime,
  )
  return { consumer, calls }
}

/** Consumes one batch, and returns the posts that failed. */
async function consumeBatchOf(postIds: number[], handle: HandleIds) {
  const { consumer, calls } = openConsumer(handle)
  return { failed: await queue.consumePosts(consumer, postIds), calls }
}

describe('a batch of which one message fails', () => {
  it('succeeds except for that message, which is retried after seconds', async () => {
    const { calls, failed } = await consumeBatchOf([1, 2, 3], async ids =>
      ids.map(id => (id === 2 ? new Error('No.') : undefined)),
    )
    expect(calls).toEqual([[1, 2, 3]])
    expect(failed).toEqual([2])
    queue.expectVisibleIn(2, pauseSeconds(1))
  })

  it('fails as a whole if its handler throws', async () => {
    const { failed } = await consumeBatchOf([14, 15], async () => {
      throw new Error('The table does not exist.')
    })
    expect(failed).toEqual([14, 15])
  })

  it('is retried after the time of its run if the run was killed', async () => {
    const most = QUEUE_WORKERS['index-search']?.timeoutSeconds ?? 0
    await consumeBatchOf([6], async ids => {
      await until('the longer time-out', async () => queue.visibleInSeconds(6) < VISIBILITY_SECONDS - 1)
      queue.expectVisibleIn(6, most + 10)
      return await succeed(ids)
    })
  })
})

/** Receives messages with these receive counts, by post. */
async function receiveWithCounts(counts: Record<number, number>): Promise<SQSEvent> {
  const { Records } = await queue.sendAndReceive(Object.keys(counts).map(Number))
  return {
    Records: Records.map(record => {
      const ApproximateReceiveCount = String(counts[JSON.parse(record.body).post_id])
      return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount } }
    }),
  }
}

describe('messages that wait in the queue', () => {
  it('are received by the run, handled with its batch and deleted', async () => {
    const waiting = Array.from({ length: 25 }, (_, n) => 200 + n)
    const event = await queue.sendAndReceive([100, 101])
    await queue.send(waiting)
    const { consumer, calls } = openConsumer(succeed)
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    expect(calls).toEqual([[100, 101, ...waiting]])
    expect(queue.waitingCount()).toBe(0)
    for (const id of waiting) expect(queue.visibleInSeconds(id)).toBeLessThan(0)
  })

  it('stay in the queue while the batch has messages that failed before', async () => {
    const event = await receiveWithCounts({ 120: 3, 121: 1 })
    const waiting = Array.from({ length: 25 }, (_, n) => 230 + n)
    await queue.send(waiting)
    const { consumer, calls } = openConsumer(succeed)
    await consumer(event)
    expect(calls).toEqual([[121], [120]])
    expect(queue.waitingCount()).toBe(25)
    await consumer({ Records: [] })
    expect(calls.slice(2)).toEqual([waiting])
    expect(queue.waitingCount()).toBe(0)
  })

  it('stay in the queue once a received message has failed before', async () => {
    const again = [260, 270].map(from => Array.from({ length: 10 }, (_, n) => from + n))
    const events: SQSEvent[] = []
    for (const ids of again) events.push(await queue.sendAndReceive(ids))
    await queue.makeVisible(events.flatMap(({ Records }) => Records))
    const { consumer } = openConsumer(succeed)
    await consumer({ Records: [] })
    expect(queue.waitingCount()).toBe(10)
    await consumer({ Records: [] })
    expect(queue.waitingCount()).toBe(0)
  })

  it('are retried after seconds if they fail', async () => {
    const event = await queue.sendAndReceive([110])
    await queue.send([111, 112])
    const { consumer } = openConsumer(async ids => ids.map(id => (id === 111 ? new Error('No.') : undefined)))
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    queue.expectVisibleIn(111, pauseSeconds(1))
    expect(queue.visibleInSeconds(112)).toBeLessThan(0)
  })
})

describe('messages that failed before', () => {
  it('are handled last: in small groups on the second attempt, then alone', async () => {
    const event = await receiveWithCounts({ 20: 3, 21: 2, 22: 1, 23: 9, 24: 2, 25: 1 })
    const { consumer, calls } = openConsumer(succeed)
    await consumer(event)
    expect(calls.slice(0, 2)).toEqual([
      [22, 25],
      [21, 24],
    ])
    expect(calls.slice(2).toSorted()).toEqual([[20], [23]])
  })

  it('are left to another run if there is no time for them', async () => {
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const event = await receiveWithCounts({ 30: 1, 31: 3 })
    const { consumer, calls } = openConsumer(async () => {
      lateMs += 60_000
      throw new Error('The index is being rebuilt.')
    })
    expect((await consumer(event)).batchItemFailures).toHaveLength(2)
    expect(calls).toEqual([[30]])
    queue.expectVisibleIn(31, pauseSeconds(3))
  })
})
