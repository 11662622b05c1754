// The way of a message from its commit to its queue, with a crash or a fault at each step: none is lost, and
// each event is delivered once.
import { beforeEach, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { expectDelivered, openReceiver } from '../histories/faulty/checks.ts'
import { type FaultyWorld, openFaultyWorld } from '../histories/faulty/world.ts'
import type { Interceptor } from '../support/faults/call-proxy.ts'
import { FAULT_KINDS } from '../support/faults/faults.ts'
import { use } from '../support/use.ts'

const MINUTE_MS = 60_000

type ArmedFault = { operation: string; kind: keyof typeof FAULT_KINDS; times: number }
/** The fault of the next calls that write outbox rows. */
let armed: ArmedFault | undefined
const interceptor: Interceptor = (call, next, crash) => {
  const isHit = armed && call.operation === armed.operation && call.body.includes('OUTBOX#')
  if (!armed || !isHit || armed.times-- <= 0) return next(call)
  return FAULT_KINDS[armed.kind].inject(call, next, { chance: 0, crash })
}

const receiver = use(openReceiver)
/** What the queues do: 0.5 accepts messages, 0 refuses them, 0.99 accepts them and loses the answer. */
let rolled: number
let world: FaultyWorld
beforeEach(async () => {
  armed = undefined
  rolled = 0.5
  receiver.received.length = 0
  const options = { startMs: Date.UTC(2026, 4, 26), seed: 1, sizes: { range: 8, node: 8 } }
  const rollQueues = () => rolled
  world = await openFaultyWorld({ ...options, hookUrl: receiver.url, interceptor, rollQueues })
  return () => world.stop()
})

let titles = 0
function publish() {
  const body = { title: `Post ${++titles}`, is_published: true }
  return world.call(adminPosts.createPost, { body })
}

async function outboxRows() {
  return (await world.dump()).filter(({ pk }) => pk.startsWith('OUTBOX#'))
}

function queued() {
  return world.queues.lengthOf('events')
}

async function sweepAfter(ms: number) {
  world.advance(ms)
  await world.runSweep()
}

/** Every event that was fired has arrived once, and nothing is left. */
async function expectAllDelivered(events: number) {
  await world.drain({ advance: () => undefined })
  const fired = world.takeEvents()
  expect(fired).toHaveLength(events)
  await expectDelivered(world, fired, receiver.received)
  // The second subscription collects them.
  expect(receiver.received.filter(id => id.endsWith('-1'))).toHaveLength(events)
}

describe('a request', () => {
  it('sends its messages and deletes their rows', async () => {
    await publish()
    expect(queued()).toBe(1)
    expect(await outboxRows()).toEqual([])
    await sweepAfter(10 * MINUTE_MS)
    expect(queued()).toBe(1)
    await expectAllDelivered(1)
  })

  it('that crashes between its commit and the queues leaves the messages to the sweep', async () => {
    armed = { operation: 'TransactWriteItems', kind: 'crashAfter', times: 1 }
    await publish()
    expect(queued()).toBe(0)
    // Younger rows belong to the request.
    await sweepAfter(MINUTE_MS - 1_000)
    expect(queued()).toBe(0)
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    expect(await outboxRows()).toEqual([])
    await expectAllDelivered(1)
  })

  it.each([
    ['refuse the messages', 0, 1],
    ['accept the messages and do not answer', 0.99, 2],
  ])('whose queues %s leaves its rows to the sweep', async (_, roll, sent) => {
    rolled = roll
    await publish()
    rolled = 0.5
    expect(await outboxRows()).toHaveLength(1)
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(sent)
    expect(await outboxRows()).toEqual([])
    await expectAllDelivered(1)
  })

  it.each(['crashBefore', 'failed'] as const)(
    'that does not delete its rows (%s) has its messages sent twice by the sweep, and delivered once',
    async kind => {
      armed = { operation: 'BatchWriteItem', kind, times: Number.POSITIVE_INFINITY }
      await publish()
      armed = undefined
      expect(await outboxRows()).toHaveLength(1)
      await sweepAfter(MINUTE_MS)
      expect(queued()).toBe(2)
      expect(await outboxRows()).toEqual([])
      await expectAllDelivered(1)
    },
  )
})

describe('a sweep', () => {
  it.each(['crashBefore', 'crashAfter'] as const)(
    'loses no message with %s at the deletion of its rows',
    async kind => {
      rolled = 0
      await publish()
      rolled = 0.5
      armed = { operation: 'BatchWriteItem', kind, times: 1 }
      await sweepAfter(MINUTE_MS)
      await expectAllDelivered(1)
      expect(await outboxRows()).toEqual([])
    },
  )
})
