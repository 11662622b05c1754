// Handles the messages of a batch one by one: which fail, and when they are retried.
import { describe, expect, it } from 'vitest'
import { MAX_RECEIVES } from '../../shared/events/message.ts'
import { pauseSeconds } from '../../shared/events/receiver.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { consumeContinuously } from '../../shared/lambda/consume-continuously.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { use } from '../world/use.ts'
import { openIndexQueue } from './index-queue.ts'

const queue = use(openIndexQueue)

describe('a message that fails', () => {
  it.each([
    [1, 'debug'],
    [2, 'debug'],
    [3, 'warn'],
    [MAX_RECEIVES - 1, 'warn'],
    [MAX_RECEIVES, 'error'],
  ])('is logged at attempt %i as %s, because only the last failure is final', async (received, level) => {
    const logged: string[] = []
    const loggingRuntime = {
      ...queue.openRuntime(),
      log: (...[at]: Parameters<Runtime['log']>) => void logged.push(at),
    }
    const [record] = (await queue.sendAndReceive([1])).Records
    if (!record) throw new Error('No message came.')
    const attributes = { ...record.attributes, ApproximateReceiveCount: String(received) }
    const fail = consume(
      'index',
      () => Promise.reject(new Error('A conflict.')),
      () => loggingRuntime,
    )
    await fail({ Records: [{ ...record, attributes }] })
    expect(logged).toEqual([level])
    await queue.remove(record)
  })
})

describe.each([
  { name: 'consume', consumeIn: consume, bad: 8 },
  { name: 'consumeContinuously', consumeIn: consumeContinuously, bad: 11 },
])('$name', ({ consumeIn, bad }) => {
  it('reports only the failed message of a batch, which is retried after seconds', async () => {
    const consumer = consumeIn(
      'index',
      async ({ post_id }) => {
        if (post_id === bad) throw new Error('No.')
      },
      queue.openRuntime,
    )
    expect(await queue.consumePosts(consumer, [bad - 1, bad, bad + 1])).toEqual([bad])
    queue.expectVisibleIn(bad, pauseSeconds(1))
  })
})

describe('a message that fails every time', () => {
  it('is tried for at least an hour before it becomes a dead letter', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })
})
