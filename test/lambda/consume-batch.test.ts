// A run that takes what waits beside its batch: who is done with whom, and when what failed comes again.
import type { SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { pauseSeconds } from '../../shared/events/receiver.ts'
import { consumeBatch } from '../../shared/lambda/consume-batch.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import { until } from '../world/until.ts'
import { type IndexQueue, openIndexQueue, VISIBILITY_SECONDS } from './index-queue.ts'

let queue: IndexQueue
beforeAll(async () => {
  queue = await openIndexQueue()
})
afterAll(() => queue.stop())
afterEach(() => vi.restoreAllMocks())

type HandleIds = (ids: number[]) => Promise<unknown[]>
const goWell: HandleIds = async ids => ids.map(() => undefined)

/** A consumer of many messages at once, and the posts that its handler was called with, in order. */
function togetherBy(handle: HandleIds) {
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

/** The same, of messages that it is handed alone: the posts that it failed for. */
async function consumeBy(postIds: number[], handle: HandleIds) {
  const { consumer, calls } = togetherBy(handle)
  return { failed: await queue.failedOf(consumer, postIds), calls }
}

describe('a batch of which one message fails', () => {
  it('is done but for that one, which comes again after seconds', async () => {
    const { calls, failed } = await consumeBy([1, 2, 3], async ids =>
      ids.map(id => (id === 2 ? new Error('No.') : undefined)),
    )
    expect(calls).toEqual([[1, 2, 3]])
    expect(failed).toEqual([2])
    queue.expectAgainIn(2, pauseSeconds(1))
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
      await until('the queue to know', async () => queue.comesAgainIn(6) < VISIBILITY_SECONDS - 1)
      queue.expectAgainIn(6, most + 10)
      return await goWell(ids)
    })
  })
})

/** Handed out as often as it says. */
async function triedBefore(tries: Record<number, number>): Promise<SQSEvent> {
  const { Records } = await queue.receive(Object.keys(tries).map(Number))
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
    const event = await queue.receive([100, 101])
    await queue.send(beside)
    const { consumer, calls } = togetherBy(goWell)
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    expect(calls).toEqual([[100, 101, ...beside]])
    expect(queue.waiting()).toBe(0)
    for (const id of beside) expect(queue.comesAgainIn(id)).toBeLessThan(0)
  })

  it('stay in the queue while the batch has messages that failed before, which are done alone', async () => {
    const event = await triedBefore({ 120: 3, 121: 1 })
    const beside = Array.from({ length: 25 }, (_, n) => 230 + n)
    await queue.send(beside)
    const { consumer, calls } = togetherBy(goWell)
    await consumer(event)
    expect(calls).toEqual([[121], [120]])
    expect(queue.waiting()).toBe(25)
    await consumer({ Records: [] })
    expect(calls.slice(2)).toEqual([beside])
    expect(queue.waiting()).toBe(0)
  })

  it('stay in the queue as soon as one of those that were taken failed before', async () => {
    const again = [260, 270].map(from => Array.from({ length: 10 }, (_, n) => from + n))
    const events: SQSEvent[] = []
    for (const ids of again) events.push(await queue.receive(ids))
    await queue.showNow(events.flatMap(({ Records }) => Records))
    const { consumer } = togetherBy(goWell)
    await consumer({ Records: [] })
    expect(queue.waiting()).toBe(10)
    await consumer({ Records: [] })
    expect(queue.waiting()).toBe(0)
  })

  it('come again after seconds where they fail', async () => {
    const event = await queue.receive([110])
    await queue.send([111, 112])
    const { consumer } = togetherBy(async ids => ids.map(id => (id === 111 ? new Error('No.') : undefined)))
    expect(await consumer(event)).toEqual({ batchItemFailures: [] })
    queue.expectAgainIn(111, pauseSeconds(1))
    expect(queue.comesAgainIn(112)).toBeLessThan(0)
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
    queue.expectAgainIn(31, pauseSeconds(3))
  })
})
