// Handles the messages of a batch one by one: which fail, and when they are retried.
import { describe, expect, it } from 'vitest'
import { MAX_RECEIVES } from '../../shared/events/message.ts'
import { pauseSeconds } from '../../shared/events/sqs.ts'
import { consume } from '../../shared/lambda/consume.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { use } from '../support/use.ts'
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
    const [record] = (await queue.sendAndReceive(['a'])).Records
    if (!record) throw new Error('No message came.')
    const attributes = { ...record.attributes, ApproximateReceiveCount: String(received) }
    const fail = consume('index', () => Promise.reject(new Error('A conflict.')), {
      openRuntime: () => loggingRuntime,
    })
    await fail({ Records: [{ ...record, attributes }] })
    expect(logged).toEqual([level])
    await queue.remove(record)
  })
})

describe('consume', () => {
  it('reports only the failed message of a batch, which is retried after seconds', async () => {
    let calls = 0
    const consumer = consume(
      'index',
      async () => {
        if (++calls === 2) throw new Error('No.')
      },
      { openRuntime: queue.openRuntime },
    )
    const failed = await queue.consumeGroups(consumer, ['b', 'c', 'd'])
    expect([calls, failed]).toEqual([3, [expect.stringMatching(/^[bcd]$/)]])
    queue.expectVisibleIn(failed[0] ?? '', 10, 15)
  })

  it('logs a failure with its causes', async () => {
    const lines: unknown[] = []
    const openRuntime = () => ({
      ...queue.openRuntime(),
      log: (...line: Parameters<Runtime['log']>) => void lines.push(line[2]?.error),
    })
    const cause = new Error('The table is throttled.')
    const consumer = consume('index', () => Promise.reject(new Error('One failed.', { cause })), {
      openRuntime,
    })
    await queue.consumeGroups(consumer, ['e'])
    expect(lines).toEqual([
      expect.stringMatching(/^Error: One failed\.\n(.*\n)*Caused by: Error: The table is throttled\./),
    ])
  })
})

describe('a message that fails every time', () => {
  it('is tried for at least an hour before it becomes a dead letter', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1, 0))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })

  it('is spread over half of its pause, so that messages that failed together do not come together', () => {
    expect([0, 0.5, 1].map(random => pauseSeconds(2, random))).toEqual([20, 25, 30])
  })
})
