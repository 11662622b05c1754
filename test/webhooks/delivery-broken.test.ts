// Deliveries in which something breaks: the worker dies, the table fails, or the subscription is deleted.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { EventMessage } from '../../shared/events/message.ts'
import type { Table } from '../../shared/table/client.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { sendDelivery } from '../../shared/webhooks/commands/deliver.ts'
import { claim } from '../../shared/webhooks/commands/deliveries.ts'
import { removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { LEASE_MS, openDelivery } from '../../shared/webhooks/delivery.ts'
import { listAttempts } from '../../shared/webhooks/store/log.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { laterFunction } from './message-world.ts'
import { httpSubscriber } from './servers.ts'
import { countsOf, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { environment, startWorkers } from './workers.ts'

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

describe('a worker that dies', () => {
  it('changes nothing more when it writes after a message has ended its claim', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    const late: Partial<Table> = {
      transact: async actions => {
        await laterFunction(workers).deliverBatch(batchOf(messageTo([webhook], event)))
        await workers.table.transact(actions)
      },
    }
    expect(await sendOver(late, webhook, event)).toMatchObject({ ok: true })
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'failed', error: 'interrupted' })
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
  })

  it('leaves a test ping that the log shows as interrupted when its lease has ended', async () => {
    const webhook = await subscribe(workers.table, 'http://127.0.0.1:1/')
    const event = newEvent({ event: 'test.ping' })
    const nowMs = Date.now()
    await claim(workers.table, openDelivery(webhook, event), event, { nowMs })
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
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent()
    const failing = { write: () => Promise.reject(new Error('no table')) }
    await expect(sendOver(failing, webhook, event)).rejects.toThrow('no table')
    await workers.deliverBatch(batchOf(messageTo([webhook], event)))
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
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual({
      batchItemFailures: [],
    })
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'succeeded' })
    await expect(countsOf(workers.table, webhook)).rejects.toThrow('not found')
  })
})
