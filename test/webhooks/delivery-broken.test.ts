// Deliveries in which something breaks: the worker dies, the table fails, or the subscription is deleted.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { EventMessage } from '../../shared/events/message.ts'
import type { Table } from '../../shared/table/client.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { sendDelivery } from '../../shared/webhooks/commands/deliver.ts'
import { claimDelivery } from '../../shared/webhooks/commands/deliveries.ts'
import { finaliseInterruptedDeliveries } from '../../shared/webhooks/commands/interrupted.ts'
import { removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { openDelivery } from '../../shared/webhooks/delivery.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { httpSubscriber } from './servers.ts'
import { countsOf, deliveryMessage, newEvent, subscribe } from './subscriptions.ts'
import { environment, startWorkers } from './workers.ts'

const LEASE_MS = 60_000

const workers = use(startWorkers)

function storedDelivery({ id }: WebhookRecord, event: EventMessage) {
  return workers.table.find(deliveryKey(id, event.id), z.looseObject({ status: z.string() }))
}

/** Sends a delivery with a table that is changed by `changes`. */
function sendOver(changes: Partial<Table>, webhook: WebhookRecord, event: EventMessage) {
  return sendDelivery(
    { table: { ...workers.table, ...changes }, environment, nowMs: Date.now(), readMs: performance.now() },
    webhook,
    event,
  )
}

function sweep(afterMs: number) {
  return finaliseInterruptedDeliveries(workers.table, Date.now() + afterMs)
}

function never() {
  return new Promise<never>(() => {})
}

describe('a worker that dies', () => {
  it('leaves a delivery that ends as interrupted, is counted, and is never sent, when it dies after the claim', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    expect(await claimDelivery(workers.table, openDelivery(webhook, event), event, Date.now())).toBe(true)

    await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))
    expect(await sweep(LEASE_MS - 5_000)).toBe(0)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 0, failed: 0 })

    expect(await sweep(LEASE_MS + 1)).toBe(1)
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })

    expect(await sweep(LEASE_MS + 1)).toBe(0)
    await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
    expect(receiver.received).toEqual([])
  })

  it('leaves a delivery that is not sent again and is counted once, when it dies after the POST', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    void sendOver({ transact: never }, webhook, event)
    await receiver.waitFor(1)

    await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))
    expect(await sweep(LEASE_MS + 1_000)).toBe(1)
    await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))
    expect(receiver.received).toHaveLength(1)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
  })

  it('changes nothing more when it writes after the sweep', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    const late: Partial<Table> = {
      transact: async actions => {
        await sweep(LEASE_MS + 1_000)
        await workers.table.transact(actions)
      },
    }
    expect(await sendOver(late, webhook, event)).toMatchObject({ ok: true })
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
  })
})

describe('a table that fails', () => {
  it('leaves the message for a retry without a POST, when it fails before the claim', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    const failing = { write: () => Promise.reject(new Error('no table')) }
    await expect(sendOver(failing, webhook, event)).rejects.toThrow('no table')
    await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))
    expect(receiver.received).toHaveLength(1)
  })

  it('does not prevent a delivery, when only its answer to the claim is lost', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const twice: Partial<Table> = {
      write: async action => {
        await workers.table.write(action)
        await workers.table.write(action)
      },
    }
    expect(await sendOver(twice, webhook, newEvent())).toMatchObject({ ok: true })
    expect(receiver.received).toHaveLength(1)
  })

  it('has the outcome stored in the end, sent once and counted once, when it fails after the POST', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    let calls = 0
    const moody: Partial<Table> = {
      transact: async actions => {
        calls++
        if (calls === 1) throw new Error('not now')
        await workers.table.transact(actions)
        if (calls === 2) throw new Error('the answer is lost')
      },
    }
    expect(await sendOver(moody, webhook, newEvent())).toMatchObject({ ok: true })
    expect(calls).toBe(3)
    expect(receiver.received).toHaveLength(1)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 0 })
  })
})

describe('a subscription deleted during its delivery', () => {
  const removeNow = ({ owner_id, id }: WebhookRecord) =>
    removeWebhook(unitOfWorkOn(workers.table), { ownerId: owner_id, id })

  it('is not restored, and its delivery ends without being counted', async () => {
    let remove = async () => {}
    const { port } = await httpSubscriber(async (_request, response) => {
      await remove()
      response.end()
    })
    const webhook = await subscribe(workers.table, `http://127.0.0.1:${port}/`)
    remove = () => removeNow(webhook)
    const event = newEvent()
    expect(await workers.deliverBatch(batchOf(deliveryMessage(webhook, event)))).toEqual({
      batchItemFailures: [],
    })
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'succeeded' })
    await expect(countsOf(workers.table, webhook)).rejects.toThrow('not found')
  })

  it('does not keep the sweep from finalising an interrupted delivery', async () => {
    const webhook = await subscribe(workers.table, 'http://127.0.0.1:1/')
    const event = newEvent()
    await claimDelivery(workers.table, openDelivery(webhook, event), event, Date.now())
    await removeNow(webhook)
    expect(await sweep(LEASE_MS + 1_000)).toBe(1)
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
    expect(await sweep(LEASE_MS + 1_000)).toBe(0)
  })
})
