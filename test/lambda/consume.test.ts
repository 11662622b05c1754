// A batch of a queue whose messages are handled one by one: who fails, and when what failed comes again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_RECEIVES } from '../../shared/events/message.ts'
import { pauseSeconds } from '../../shared/events/receiver.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { consumeContinuously } from '../../shared/lambda/consume-continuously.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { type IndexQueue, openIndexQueue } from './index-queue.ts'

let queue: IndexQueue
beforeAll(async () => {
  queue = await openIndexQueue()
})
afterAll(() => queue.stop())

describe('a message that fails', () => {
  it.each([
    [1, 'debug'],
    [MOST_RECEIVES - 1, 'debug'],
    [MOST_RECEIVES, 'error'],
  ])(
    'is logged at its try number %i as %s, since only after the last it has failed for good',
    async (received, level) => {
      const logged: string[] = []
      const world = {
        ...queue.openRuntime(),
        log: (...[at]: Parameters<Runtime['log']>) => void logged.push(at),
      }
      const [record] = (await queue.receive([1])).Records
      if (!record) throw new Error('No message came.')
      const attributes = { ...record.attributes, ApproximateReceiveCount: String(received) }
      const fail = consume(
        'index',
        () => Promise.reject(new Error('A conflict.')),
        () => world,
      )
      await fail({ Records: [{ ...record, attributes }] })
      expect(logged).toEqual([level])
      await queue.remove(record)
    },
  )
})

describe.each([
  { name: 'consume', consumeIn: consume, bad: 8 },
  { name: 'consumeOn', consumeIn: consumeContinuously, bad: 11 },
])('$name', ({ consumeIn, bad }) => {
  it('fails for the one message of a batch that failed, which comes again after seconds', async () => {
    const consumer = consumeIn(
      'index',
      async ({ post_id }) => {
        if (post_id === bad) throw new Error('No.')
      },
      queue.openRuntime,
    )
    expect(await queue.failedOf(consumer, [bad - 1, bad, bad + 1])).toEqual([bad])
    queue.expectAgainIn(bad, pauseSeconds(1))
  })
})

describe('a message that fails again and again', () => {
  it('is tried for at least an hour before it is among the dead letters', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })
})
