// A message with several subscriptions: each is claimed, sent and counted by itself, and the message stays in
// the queue until each delivery has an outcome.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { withBan } from '../../shared/accounts/ban.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { DeliveryMessage, type EventMessage } from '../../shared/events/message.ts'
import { deliveryKey, webhookKey } from '../../shared/table/design.ts'
import { claim } from '../../shared/webhooks/commands/deliveries.ts'
import { removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { openDelivery } from '../../shared/webhooks/delivery.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { countsOf, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

const LEASE_MS = 60_000
const DONE = { batchItemFailures: [] }
const STAYS = { batchItemFailures: [{ itemIdentifier: 'message-0' }] }

function storedDelivery({ id }: WebhookRecord, event: EventMessage) {
  return workers.table.find(deliveryKey(id, event.id), z.looseObject({ status: z.string() }))
}

async function open(count: number) {
  const receiver = await openSubscriber()
  const webhooks: WebhookRecord[] = []
  while (webhooks.length < count) webhooks.push(await subscribe(workers.table, receiver.url))
  const event = newEvent()
  return { receiver, webhooks, event, batch: batchOf(messageTo(webhooks, event)) }
}

/** Claims as a function that dies after it. */
function claimAndDie(webhook: WebhookRecord, event: EventMessage) {
  const options = { nowMs: Date.now(), isIndexed: false }
  return claim(workers.table, openDelivery(webhook, event), event, options)
}

function laterFunction() {
  const later = workers.openFunction()
  later.advance(LEASE_MS + 1_000)
  return later
}

describe('a message with 25 subscriptions', () => {
  it('counts those that answer while one in ten hangs', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const receiver = await openSubscriber()
    const webhooks: WebhookRecord[] = []
    for (let n = 0; n < 25; n++) {
      webhooks.push(await subscribe(workers.table, (n % 10 === 5 ? hanging : receiver).url))
    }
    const event = newEvent()
    const [slow, quick] = [5, 15].map(n => webhooks[n]).concat(webhooks[0])
    const running = workers.deliverBatch(batchOf(messageTo(webhooks, event)))
    await until('the others to be counted', async () => {
      const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
      return counts.filter(({ total }) => total === 1).length >= 23
    })
    expect(hanging.ended()).toBe(0)
    expect(await running).toEqual(DONE)
    expect([receiver.received.length, hanging.received.length]).toEqual([23, 2])
    expect(slow && (await countsOf(workers.table, slow))).toEqual({ total: 1, failed: 1 })
    expect(quick && (await countsOf(workers.table, quick))).toEqual({ total: 1, failed: 1 })
  })

  it('is tried again for what failed before its claim, and for nothing else', async () => {
    const { receiver, webhooks, event, batch } = await open(25)
    const broken = webhooks[7]
    if (!broken) throw new Error('There are 25.')
    const key = webhookKey(broken.owner_id, broken.id)
    await workers.table.putMany([{ ...key, ...broken, sealed_secret: '1.damaged' }])
    const { deliverBatch } = workers.openFunction()
    for (let n = 0; n < 3; n++) expect(await deliverBatch(batch)).toEqual(STAYS)
    expect(receiver.received).toHaveLength(24)
    expect(await storedDelivery(broken, event)).toBeUndefined()

    await workers.table.putMany([{ ...key, ...broken }])
    expect(await workers.openFunction().deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })

  it('is sent once by five functions that get it together', async () => {
    const { receiver, webhooks, batch } = await open(25)
    const functions = Array.from({ length: 5 }, () => workers.openFunction())
    await Promise.all(functions.map(({ deliverBatch }) => deliverBatch(batch)))
    for (const { deliverBatch } of functions) expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })

  it('is not accepted by a version that knows only messages with one', async () => {
    const { webhooks, event } = await open(1)
    expect(DeliveryMessage.safeParse(messageTo(webhooks, event)).success).toBe(false)
  })
})

describe('a message whose function died after a claim', () => {
  it('stays while the lease of the claim runs, and then ends it as interrupted without a POST', async () => {
    const { receiver, webhooks, event, batch } = await open(3)
    const [claimed] = webhooks
    if (!claimed) throw new Error('There are three.')
    await claimAndDie(claimed, event)
    expect(await workers.openFunction().deliverBatch(batch)).toEqual(STAYS)
    expect(receiver.received).toHaveLength(2)
    expect(await countsOf(workers.table, claimed)).toEqual({ total: 0, failed: 0 })

    for (let n = 0; n < 2; n++) {
      expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received).toHaveLength(2)
      expect(await countsOf(workers.table, claimed)).toEqual({ total: 1, failed: 1 })
    }
    expect(await storedDelivery(claimed, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
  })

  it.each([
    [
      'its owner was banned',
      ({ owner_id }: WebhookRecord) =>
        changeUser(workers.table, owner_id, user => withBan(user, { reason: null, until: null })),
      { total: 1, failed: 1 },
    ],
    [
      'it was deleted',
      ({ owner_id, id }: WebhookRecord) =>
        removeWebhook(unitOfWorkOn(workers.table), { ownerId: owner_id, id }),
      undefined,
    ],
  ])('ends the claim of a subscription even if %s before its end', async (_what, alter, counts) => {
    const { receiver, webhooks, event, batch } = await open(1)
    const [claimed] = webhooks
    if (!claimed) throw new Error('There is one.')
    await claimAndDie(claimed, event)
    await alter(claimed)
    expect(await workers.openFunction().deliverBatch(batch)).toEqual(STAYS)
    expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
    expect(await storedDelivery(claimed, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
    if (counts) expect(await countsOf(workers.table, claimed)).toEqual(counts)
    expect(receiver.received).toEqual([])
  })
})

describe('a function that dies', () => {
  const CALLS = ['findMany', 'write', 'transact'] as const
  const moments = CALLS.flatMap(call => [false, true].map(isWritten => ({ call, isWritten })))

  it.each(moments)(
    'at $call (done: $isWritten) leaves deliveries that are sent at most once, and end',
    async ({ call, isWritten }) => {
      const { receiver, webhooks, event, batch } = await open(3)
      let died = () => {}
      const isDead = new Promise<void>(resolve => {
        died = resolve
      })
      const { table } = workers
      const dying = async (run: () => Promise<unknown>): Promise<never> => {
        if (isWritten) await run()
        died()
        return await new Promise<never>(() => {})
      }
      const changes = {
        findMany: (...args: Parameters<typeof table.findMany>) => dying(() => table.findMany(...args)),
        write: (...args: Parameters<typeof table.write>) => dying(() => table.write(...args)),
        transact: (...args: Parameters<typeof table.transact>) => dying(() => table.transact(...args)),
      }
      void workers.openFunction({ [call]: changes[call] }).deliverBatch(batch)
      await isDead
      if (call === 'transact') await receiver.waitFor(3)

      await workers.openFunction().deliverBatch(batch)
      expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received.length).toBeLessThanOrEqual(3)
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(ids.length)
      for (const webhook of webhooks) {
        expect((await storedDelivery(webhook, event))?.status).toMatch(/^(succeeded|failed)$/)
        expect(await countsOf(workers.table, webhook)).toMatchObject({ total: 1 })
      }
    },
  )
})

describe('a subscription that timed out', () => {
  it('gets messages and a group of its own for ten minutes', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const slow = await subscribe(workers.table, hanging.url)
    const { fanOut, deliverBatch, advance } = workers.openFunction()
    const ownMessage = async () => {
      for (const { group, body } of await fanOut(newEvent())) {
        const ids = 'subscriptions' in body ? body.subscriptions.map(({ id }) => id) : []
        if (ids.includes(slow.id)) return { group, isAlone: ids.length === 1 }
      }
      return undefined
    }
    expect(await ownMessage()).toMatchObject({ isAlone: false })
    await deliverBatch(batchOf(messageTo([slow])))
    expect(await ownMessage()).toEqual({ group: String(slow.id), isAlone: true })
    advance(600_001)
    expect(await ownMessage()).toMatchObject({ isAlone: false })
  })
})
