// The outbox on a bad day: rows that no version knows and a queue that refuses delay no other row.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clientOf } from '../../infra/local/account.ts'
import { type Sqs, startSqs } from '../../infra/local/queues/fauxqs.ts'
import { type Message, QUEUES } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { openSender } from '../../shared/events/sender.ts'
import { bringBack, countSetAside } from '../../shared/events/set-aside.ts'
import { withSweepLease } from '../../shared/events/sweep-lease.ts'
import { listWaitingRows, sweepOutbox } from '../../shared/events/sweep-outbox.ts'
import { outboxPartition } from '../../shared/table/design.ts'
import type { Item } from '../../shared/table/key.ts'
import { breakable } from '../world/faults.ts'
import { startTable, type TableWorld } from '../world/table.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const OLD_MS = NOW_MS - 60_000

let world: TableWorld
let sqs: Sqs
let client: SQSClient
let faults: ReturnType<typeof breakable>
let round = 0
beforeAll(async () => {
  world = await startTable()
  faults = breakable(world.client)
  sqs = await startSqs()
  client = new SQSClient({ ...clientOf(sqs.endpoint), maxAttempts: 1 })
})
afterAll(async () => {
  client.destroy()
  await Promise.all([world.stop(), sqs.stop()])
})

/** Each test has queues of its own, and an empty table. */
beforeEach(async () => {
  round++
  await world.table.removeMany((await world.dump()).map(({ pk, sk }) => ({ pk, sk })))
  for (const name of Object.keys(QUEUES)) {
    const QueueName = nameOf(name)
    const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true' } : {}
    await client.send(new CreateQueueCommand({ QueueName, Attributes }))
  }
})
const nameOf = (queue: string) => `${queue}-${round}${queue === 'index' ? '.fifo' : ''}`
const visible = (queue: string) => sqs.depth(nameOf(queue)).visible

type Logged = { message: string; [name: string]: unknown }

/** A sweep where the queues named do not exist, so that they refuse everything. */
const sweep = async ({ refusing = [] as string[], hasTime = (): boolean => true } = {}) => {
  const logged: Logged[] = []
  const sender = openSender(client, queue =>
    sqs.queueUrl(refusing.includes(queue) ? 'missing' : nameOf(queue)),
  )
  const log = (_: string, message: string, more: Record<string, unknown>) => {
    logged.push({ message, ...more })
  }
  const { table } = world
  const swept = await sweepOutbox({ table, sender, log, nowMs: NOW_MS, olderThanMs: 30_000, hasTime })
  return { swept, logged }
}

const mail = (n: number): Message => ({
  queue: 'mail',
  body: { kind: 'verify-email', id: `mail-${n}`, user_id: n },
})
const tidy = (n: number): Message => ({ queue: 'tidy', body: { kind: 'list', list: `list-${n}` } })
const put = (items: Item[]) => world.table.putMany(items)
const rows = (count: number, messageOf: (n: number) => Message, atMs = OLD_MS) =>
  Array.from({ length: count }, (_, n) => outboxRow(messageOf(n), atMs + n))

const unknownQueue = (n: number) => ({ ...outboxRow(mail(n), OLD_MS), queue: 'tomorrow' })
const unknownKind = (n: number) => ({ ...outboxRow(mail(n), OLD_MS), body: { kind: 'new-mail', id: 'x' } })
const withoutBody = (n: number) => ({ ...outboxRow(mail(n), OLD_MS), not_before_ms: 'soon' })
const withoutGroup = () => outboxRow({ queue: 'index', body: { post_id: 1 } }, OLD_MS)

describe('a sweep of the outbox', () => {
  it('sends every other row while some cannot be read and a queue refuses', async () => {
    await put([unknownQueue(1), unknownKind(2), withoutBody(3), withoutGroup()])
    await put([...rows(30, mail), ...rows(30, tidy)])
    const { swept, logged } = await sweep({ refusing: ['tidy'] })
    expect(swept).toEqual({ sent: 30, setAside: 4, left: 30 })
    expect(visible('mail')).toBe(30)
    expect(await listWaitingRows(world.table, NOW_MS, 0)).toHaveLength(30)
    expect(await countSetAside(world.table)).toHaveLength(4)
    const named = logged.flatMap(({ rows: ofLine }) => (Array.isArray(ofLine) ? ofLine : []))
    expect(named).toContainEqual({
      id: expect.any(String),
      queue: 'tomorrow',
      problem: 'queue: invalid_value',
    })
    expect(named).toContainEqual({ id: expect.any(String), queue: 'mail', problem: 'kind: invalid_union' })
    expect(logged).toContainEqual(
      expect.objectContaining({ message: 'a queue refused outbox rows', queue: 'tidy' }),
    )
  })

  it('sends no row twice because another queue refuses', async () => {
    await put([...rows(5, mail), ...rows(5, tidy)])
    for (let n = 0; n < 3; n++) await sweep({ refusing: ['tidy'] })
    expect(visible('mail')).toBe(5)
    expect(await sweep()).toMatchObject({ swept: { sent: 5, setAside: 0, left: 0 } })
    expect(visible('tidy')).toBe(5)
  })

  it('reaches the rows behind hundreds that cannot leave', async () => {
    const inOneShard = (items: Item[]) => items.map(item => ({ ...item, pk: outboxPartition(3) }))
    const unreadable = Array.from({ length: 230 }, (_, n) => unknownKind(n))
    await put(inOneShard([...unreadable, ...rows(230, tidy), ...rows(3, mail, OLD_MS + 10_000)]))
    const { swept } = await sweep({ refusing: ['tidy'] })
    expect(swept).toEqual({ sent: 3, setAside: 230, left: 230 })
    expect(visible('mail')).toBe(3)
    // What was set aside is not read again.
    expect((await sweep({ refusing: ['tidy'] })).swept).toEqual({ sent: 0, setAside: 0, left: 230 })
  })

  it('leaves rows to their request until they are old enough', async () => {
    await put(rows(3, mail, NOW_MS - 29_000))
    expect((await sweep()).swept.sent).toBe(0)
    expect(await listWaitingRows(world.table, NOW_MS, 0)).toHaveLength(3)
  })

  it('begins no page once its time is over, and the next one goes on', async () => {
    await put(rows(40, mail))
    expect((await sweep({ hasTime: () => false })).swept).toEqual({ sent: 0, setAside: 0, left: 0 })
    expect((await sweep()).swept.sent).toBe(40)
  })

  it('sets a row aside once, though the answer to it was lost', async () => {
    await put([unknownKind(1)])
    const lost = faults.fail({
      operation: 'TransactWriteItems',
      at: 'after',
      error: 'TimeoutError',
      times: 1,
    })
    try {
      expect((await sweep()).swept.setAside).toBe(1)
      expect(lost.isWaiting()).toBe(false)
    } finally {
      faults.mend()
    }
    expect(await countSetAside(world.table)).toMatchObject([{ queue: 'mail', rows: 1 }])
    expect(await listWaitingRows(world.table, NOW_MS, 0)).toEqual([])
  })

  it('sends rows again that it could not delete, and loses none', async () => {
    await put(rows(3, mail))
    faults.fail({ operation: 'BatchWriteItem', at: 'before', error: 'ValidationException' })
    await expect(sweep()).rejects.toThrow('ValidationException')
    faults.mend()
    await sweep()
    expect(visible('mail')).toBe(6)
    expect(await listWaitingRows(world.table, NOW_MS, 0)).toEqual([])
  })
})

describe('two sweeps at once', () => {
  it('do not send the same rows: the second one leaves the outbox to the first', async () => {
    const [begun, first] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const running = withSweepLease(world.table, NOW_MS, () => {
      begun.resolve()
      return first.promise
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS, async () => 'second')).toBeUndefined()
    first.resolve('first')
    expect(await running).toBe('first')
    expect(await withSweepLease(world.table, NOW_MS, async () => 'third')).toBe('third')
  })

  it('follow each other a minute later, when the first one died', async () => {
    const begun = Promise.withResolvers<void>()
    void withSweepLease(world.table, NOW_MS, () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS + 49_000, async () => 'early')).toBeUndefined()
    expect(await withSweepLease(world.table, NOW_MS + 60_000, async () => 'next')).toBe('next')
  })

  it('hold the lease, though the answer to it was lost', async () => {
    const lost = faults.fail({ operation: 'PutItem', at: 'after', error: 'TimeoutError', times: 1 })
    try {
      expect(await withSweepLease(world.table, NOW_MS, async () => 'mine')).toBe('mine')
      expect(lost.isWaiting()).toBe(false)
    } finally {
      faults.mend()
    }
  })
})

describe('rows that were set aside', () => {
  it('leave with the next sweep, once a version can read them', async () => {
    await put([unknownKind(1), unknownQueue(2)])
    await sweep()
    // As if the version that runs now knew the kind.
    for (const item of await world.dump())
      if (item.queue === 'mail') await put([{ ...item, body: mail(7).body }])
    expect(await bringBack(world.table, undefined, NOW_MS)).toEqual({ moved: 1, unreadable: 1 })
    expect((await sweep()).swept).toEqual({ sent: 1, setAside: 0, left: 0 })
    expect(visible('mail')).toBe(1)
    expect(await countSetAside(world.table)).toEqual([
      { queue: 'tomorrow', problem: 'queue: invalid_value', rows: 1 },
    ])
  })

  it('come back for one queue only, where one is named', async () => {
    await put([unknownKind(1), unknownQueue(2)])
    await sweep()
    expect(await bringBack(world.table, 'tidy', NOW_MS)).toEqual({ moved: 0, unreadable: 0 })
    expect(await bringBack(world.table, 'mail', NOW_MS)).toEqual({ moved: 0, unreadable: 1 })
  })
})
