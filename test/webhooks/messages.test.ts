// A message with several subscriptions: each is claimed, sent and counted by itself, whatever dies or fails.
// Those that fail before their claim come again alone.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { EventMessage } from '../../shared/events/message.ts'
import type { Table } from '../../shared/table/client.ts'
import { webhookKey } from '../../shared/table/design.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { ping } from '../../shared/webhooks/commands/ping.ts'
import { firstAttempt, LEASE_MS, sentEvent } from '../../shared/webhooks/delivery.ts'
import { listAttempts } from '../../shared/webhooks/store/log.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { httpSubscriber } from './servers.ts'
import {
  banOwner,
  countsOf,
  messageTo,
  newEvent,
  refOf,
  remove,
  storedDelivery,
  subscribe,
} from './subscriptions.ts'
import { DONE, MOMENTS, startWorkers } from './workers.ts'

const workers = use(startWorkers)

/** The message stays in the queue. */
const STAYS = { batchItemFailures: [{ itemIdentifier: 'message-0' }] }

const interrupted = { status: 'failed', error: 'interrupted' }

/** A message with `count` new subscriptions, which one receiver answers. */
async function openMessage(count: number) {
  const receiver = await openSubscriber()
  const first = await subscribe(workers.table, receiver.url)
  const webhooks = [first]
  while (webhooks.length < count) webhooks.push(await subscribe(workers.table, receiver.url))
  const event = newEvent()
  return { receiver, webhooks, first, event, batch: batchOf(messageTo(webhooks, event)) }
}

/** A delivery with a damaged secret fails before its claim. */
function putSecret(webhook: WebhookRecord, sealed_secret: string) {
  const key = webhookKey(webhook.owner_id, webhook.id)
  return workers.table.putMany([{ ...key, ...webhook, sealed_secret }])
}

/** Claims as a function that dies after it. */
function claimAndDie(webhook: WebhookRecord, event: EventMessage) {
  const context = { table: workers.table, nowMs: Date.now() }
  return claim(context, firstAttempt(webhook, event.id), sentEvent(event))
}

/** A function that runs after the leases of claims have ended. */
function laterFunction() {
  const later = workers.openFunction()
  later.advance(LEASE_MS + 1_000)
  return later
}

describe('a message with 25 subscriptions', () => {
  it('is done if some deliveries fail before their claim, which then come again alone', async () => {
    const { receiver, webhooks, first: broken, event, batch } = await openMessage(25)
    await putSecret(broken, 'damaged')
    const { deliverBatch, sent } = workers.openFunction()
    expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(24)
    expect(await storedDelivery(workers, broken, event)).toBeUndefined()
    const [again] = sent
    expect(sent).toMatchObject([{ body: messageTo([broken], event), delaySeconds: expect.any(Number) }])
    for (let n = 0; n < 2; n++) expect(await deliverBatch(batchOf(again?.body))).toEqual(STAYS)
    expect(workers.logged).toContainEqual(expect.objectContaining({ message: 'deliveries are tried again' }))
    expect(sent).toHaveLength(1)

    await putSecret(broken, broken.sealed_secret)
    expect(await workers.openFunction().deliverBatch(batchOf(again?.body))).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })

  it('stays if the queue refuses the message with the deliveries that failed', async () => {
    const { first: broken, batch } = await openMessage(2)
    await putSecret(broken, 'damaged')
    expect(await workers.openFunction({}, { refuses: true }).deliverBatch(batch)).toEqual(STAYS)
  })

  it('is sent once by five functions that get it together', async () => {
    const { receiver, webhooks, batch } = await openMessage(25)
    const functions = Array.from({ length: 5 }, () => workers.openFunction())
    await Promise.all(functions.map(({ deliverBatch }) => deliverBatch(batch)))
    for (const { deliverBatch } of functions) expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })
})

describe('messages whose receivers hang', () => {
  it('delay no other, however many of them a process has', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const { receiver, batch } = await openMessage(25)
    const slow = await subscribe(workers.table, hanging.url)
    const others = batchOf(...Array.from({ length: 5 }, () => messageTo([slow])))
    const running = workers.deliverBatch(others)
    await hanging.waitFor(5)
    expect(await workers.deliverBatch(batch)).toEqual(DONE)
    expect([receiver.received.length, hanging.ended()]).toEqual([25, 0])
    expect(await running).toEqual(DONE)
    expect(await countsOf(workers.table, slow)).toEqual({ total: 5, failed: 5 })
  })
})

describe('a message whose function died after a claim', () => {
  it('is tried again while the lease of the claim runs, and then ends it as interrupted without a POST', async () => {
    const { receiver, first: claimed, event, batch } = await openMessage(3)
    await claimAndDie(claimed, event)
    const { deliverBatch, sent } = workers.openFunction()
    expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(2)
    expect(sent).toMatchObject([{ body: messageTo([claimed], event) }])
    expect(await deliverBatch(batchOf(sent[0]?.body))).toEqual(STAYS)
    expect(await countsOf(workers.table, claimed)).toEqual({ total: 0, failed: 0 })

    for (let n = 0; n < 2; n++) {
      expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received).toHaveLength(2)
      expect(await countsOf(workers.table, claimed)).toEqual({ total: 1, failed: 1 })
    }
    expect(await storedDelivery(workers, claimed, event)).toMatchObject(interrupted)
  })

  it.each([
    [
      'its owner was banned',
      (webhook: WebhookRecord) => banOwner(workers.table, webhook),
      { total: 1, failed: 1 },
    ],
    ['it was deleted', (webhook: WebhookRecord) => remove(workers.table, webhook), undefined],
  ])('ends the claim of a subscription even if %s before its end', async (_what, alter, counts) => {
    const { receiver, first: claimed, event, batch } = await openMessage(1)
    await claimAndDie(claimed, event)
    await alter(claimed)
    expect(await workers.openFunction().deliverBatch(batch)).toEqual(STAYS)
    expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
    expect(await storedDelivery(workers, claimed, event)).toMatchObject(interrupted)
    if (counts) expect(await countsOf(workers.table, claimed)).toEqual(counts)
    expect(receiver.received).toEqual([])
  })
})

describe('a function that dies', () => {
  it.each(MOMENTS)(
    'at $call (done: $isWritten) leaves deliveries that are sent at most once, and end',
    async ({ call, isWritten }) => {
      const { receiver, webhooks, event, batch } = await openMessage(3)
      await workers.dieAt(call, isWritten, batch)
      if (call === 'transact') await receiver.waitFor(3)

      await workers.openFunction().deliverBatch(batch)
      expect(await laterFunction().deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received.length).toBeLessThanOrEqual(3)
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(ids.length)
      for (const webhook of webhooks) {
        expect((await storedDelivery(workers, webhook, event))?.status).toMatch(/^(succeeded|failed)$/)
        expect(await countsOf(workers.table, webhook)).toMatchObject({ total: 1 })
      }
    },
  )
})

describe('a function that writes after its lease has ended', () => {
  it('changes nothing more after a message has ended its claim', async () => {
    const { receiver, first: webhook, event, batch } = await openMessage(1)
    const transact: Table['transact'] = async actions => {
      await laterFunction().deliverBatch(batch)
      await workers.table.transact(actions)
    }
    expect(await workers.openFunction({ transact }).deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(1)
    expect(await storedDelivery(workers, webhook, event)).toMatchObject(interrupted)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
  })

  it('leaves a test ping that the log shows as interrupted', async () => {
    const webhook = await subscribe(workers.table, 'http://127.0.0.1:1/')
    const event = newEvent({ event: 'test.ping' })
    const nowMs = Date.now()
    await claim({ table: workers.table, nowMs }, firstAttempt(webhook, event.id), sentEvent(event))
    const shownAt = async (ms: number) => {
      const { attempts } = await listAttempts(workers.table, { webhookId: webhook.id, nowMs: ms, limit: 2 })
      return attempts.map(({ status, error }) => [status, error])
    }
    expect(await shownAt(nowMs + LEASE_MS)).toEqual([['sending', null]])
    expect(await shownAt(nowMs + LEASE_MS + 1)).toEqual([['failed', 'interrupted']])
  })
})

describe('a table that fails', () => {
  it('leaves the message for a retry without a POST, when it fails before the claim', async () => {
    const { receiver, batch } = await openMessage(1)
    const failing = { write: () => Promise.reject(new Error('no table')) }
    expect(await workers.openFunction(failing).deliverBatch(batch)).toEqual(STAYS)
    expect(receiver.received).toEqual([])
    expect(await workers.deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(1)
  })

  it('prevents a test ping whose event it does not keep', async () => {
    const { receiver, first } = await openMessage(1)
    const write: Table['write'] = async action => {
      if (!JSON.stringify(action).includes('"EVENT#')) return await workers.table.write(action)
      await pause(100)
      throw new Error('no table')
    }
    const work = unitOfWorkOn({ ...workers.table, write })
    await expect(ping(work, workers.environment, refOf(first), 'request')).rejects.toThrow('no table')
    expect(receiver.received).toEqual([])
    const query = { webhookId: first.id, nowMs: Date.now(), limit: 1 }
    expect((await listAttempts(workers.table, query)).attempts).toEqual([])
  })

  it('does not prevent a delivery, when only its answer to the claim is lost', async () => {
    const { receiver, batch } = await openMessage(1)
    const write: Table['write'] = async action => {
      await workers.table.write(action)
      await workers.table.write(action)
    }
    expect(await workers.openFunction({ write }).deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(1)
  })

  it('has the outcome stored in the end, sent once and counted once, when it fails after the POST', async () => {
    const { receiver, first, batch } = await openMessage(1)
    let calls = 0
    const transact: Table['transact'] = async actions => {
      calls++
      if (calls === 1) throw new Error('not now')
      await workers.table.transact(actions)
      if (calls === 2) throw new Error('the answer is lost')
    }
    expect(await workers.openFunction({ transact }).deliverBatch(batch)).toEqual(DONE)
    // The third finds that it has ended; so does one without the count, as if the subscription were deleted.
    expect(calls).toBe(4)
    expect(receiver.received).toHaveLength(1)
    expect(await countsOf(workers.table, first)).toEqual({ total: 1, failed: 0 })
  })
})

describe('a subscription deleted during its delivery', () => {
  it('is not restored, and its delivery ends without being counted', async () => {
    let duringDelivery = async () => {}
    const { port } = await httpSubscriber(async (_request, response) => {
      await duringDelivery()
      response.end()
    })
    const webhook = await subscribe(workers.table, `http://127.0.0.1:${port}/`)
    duringDelivery = () => remove(workers.table, webhook)
    const event = newEvent()
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(DONE)
    expect(await storedDelivery(workers, webhook, event)).toMatchObject({ status: 'succeeded' })
    await expect(countsOf(workers.table, webhook)).rejects.toThrow('not found')
  })
})
