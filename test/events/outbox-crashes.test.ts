// The way of a message from its commit to its worker, with a crash or a fault at each step: none is lost, and
// none is sent again while it waits in its queue.
import { beforeEach, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { expectDelivered } from '../histories/faulty/checks.ts'
import { openReceiver } from '../histories/faulty/receiver.ts'
import { type FaultyWorld, openFaultyWorld } from '../histories/faulty/world.ts'
import type { Interceptor } from '../world/faults/call.ts'
import { FAULT_KINDS } from '../world/faults/fault-kinds.ts'
import { startTable } from '../world/table.ts'
import { use } from '../world/use.ts'

const MINUTE_MS = 60_000

type Armed = { operation: string; kind: keyof typeof FAULT_KINDS; times: number }
/** The fault of the next calls that write outbox rows. */
let armed: Armed | undefined
const interceptor: Interceptor = (call, next, crash) => {
  const isHit = armed && call.operation === armed.operation && call.body.includes('OUTBOX#')
  if (!armed || !isHit || armed.times-- <= 0) return next(call)
  return FAULT_KINDS[armed.kind].inject(call, next, { chance: 0, crash })
}

const database = use(startTable)
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
  world = await openFaultyWorld(database, { ...options, hookUrl: receiver.url, interceptor, rollQueues })
  return () => world.stop()
})

let titles = 0
function publish() {
  const body = { title: `Post ${++titles}`, is_published: true }
  return world.call(adminPosts.createPost, { body })
}

/** Of events. Those of the index worker have another guarantee as well: the sweep wakes it. */
async function outboxRows(): Promise<{ unsent: unknown }[]> {
  const rows = (await world.dump()).filter(({ pk, queue }) => pk.startsWith('OUTBOX#') && queue === 'events')
  return rows.map(({ unsent }) => ({ unsent }))
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
  const ids = world.takeEvents().map(({ id }) => id)
  expect(ids).toHaveLength(events)
  await expectDelivered(world, ids, receiver.received)
  expect(receiver.received).toHaveLength(events)
}

describe('a request', () => {
  it('leaves its rows to the workers, which delete them when they receive the messages', async () => {
    await publish()
    expect(queued()).toBe(1)
    expect(await outboxRows()).toHaveLength(1)
    await world.consumeAll()
    expect(await outboxRows()).toEqual([])
    await expectAllDelivered(1)
  })

  it('that crashes between its commit and the queues leaves the messages to the sweep', async () => {
    armed = { operation: 'TransactWriteItems', kind: 'crashAfter', times: 1 }
    await publish()
    expect(queued()).toBe(0)
    await sweepAfter(MINUTE_MS / 2)
    expect(queued()).toBe(0)
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    expect(await outboxRows()).toEqual([])
    await expectAllDelivered(1)
  })

  it('whose queues refuse the messages marks its rows, which the next sweep sends immediately', async () => {
    rolled = 0
    await publish()
    rolled = 0.5
    expect(queued()).toBe(0)
    expect((await outboxRows()).map(({ unsent }) => unsent)).toEqual([true])
    await sweepAfter(1_000)
    expect(queued()).toBe(1)
    expect(await outboxRows()).toEqual([])
    await expectAllDelivered(1)
  })

  it('that crashes after its queues refused the messages leaves them to the sweep', async () => {
    armed = { operation: 'PutItem', kind: 'crashBefore', times: 1 }
    rolled = 0
    await publish()
    rolled = 0.5
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    await expectAllDelivered(1)
  })

  it('that crashes after its messages were sent does not make the sweep send them again', async () => {
    armed = { operation: 'PutItem', kind: 'crashBefore', times: 2 }
    rolled = 0.99
    await publish()
    rolled = 0.5
    expect(queued()).toBe(1)
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    await expectAllDelivered(1)
  })
})

describe('a worker', () => {
  it.each(['crashBefore', 'crashAfter'] as const)(
    'loses no message and sends none twice with %s at the deletion of its rows',
    async kind => {
      await publish()
      armed = { operation: 'BatchWriteItem', kind, times: 1 }
      await world.consumeAll()
      await expectAllDelivered(1)
      expect(await outboxRows()).toEqual([])
    },
  )

  it('that cannot delete a row does its work, and the sweep sends the message once more', async () => {
    await publish()
    armed = { operation: 'BatchWriteItem', kind: 'failed', times: Number.POSITIVE_INFINITY }
    await world.consumeAll()
    expect(queued()).toBe(0)
    expect(await outboxRows()).toHaveLength(1)
    armed = undefined
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    expect(await outboxRows()).toEqual([])
    await sweepAfter(MINUTE_MS)
    expect(queued()).toBe(1)
    await expectAllDelivered(1)
  })
})

describe('queues that are held back for ten minutes', () => {
  it('get no message twice', async () => {
    for (let n = 0; n < 12; n++) await publish()
    const rows = await outboxRows()
    for (let minute = 1; minute <= 10; minute++) {
      await sweepAfter(MINUTE_MS)
      expect([minute, queued()]).toEqual([minute, 12])
    }
    expect(await outboxRows()).toEqual(rows)
    await expectAllDelivered(12)
  })
})
