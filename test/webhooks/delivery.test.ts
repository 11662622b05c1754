// Deliveries: sent at most once, counted once, and independent of slow subscribers.
import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { EVENTS } from '../../shared/events/catalogue.ts'
import type { EventMessage } from '../../shared/events/message.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { changeWebhook, removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { changedWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { countsOf, messageTo, newEvent, SECRET, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

function refOf({ owner_id, id }: WebhookRecord) {
  return { ownerId: owner_id, id }
}

function storedDelivery(webhook: WebhookRecord, event: EventMessage) {
  return workers.table.find(deliveryKey(webhook.id, event.id), z.looseObject({ status: z.string() }))
}

const NO_FAILURES = { batchItemFailures: [] }

describe('a delivery', () => {
  it('is one signed POST of exactly event, occurred_at and data', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const data = { ...EVENTS['post.published'].sample, title: 'Grüße 👋' }
    const event = newEvent({ data, request_id: 'build-7' })
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(NO_FAILURES)

    expect(receiver.received).toHaveLength(1)
    const { headers = {}, body = '' } = receiver.received[0] ?? {}
    expect(body).toBe(
      JSON.stringify({ event: event.event, occurred_at: event.occurred_at, data: event.data }),
    )
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'headless-content-service/1.2.3',
      'x-request-id': 'build-7',
      signature: createHmac('sha256', SECRET).update(body).digest('hex'),
      'webhook-id': `${event.id}-${webhook.id}`,
    })
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    expect(new StandardWebhook(SECRET).verify(body, signed)).toMatchObject({ event: event.event })
    expect(() => new SvixWebhook(SECRET).verify(body, signed)).not.toThrow()
  })

  it('is counted and stored with its outcome', async () => {
    const fine = await subscribe(workers.table, (await openSubscriber()).url)
    const failing = await subscribe(workers.table, (await openSubscriber({ status: 500 })).url)
    const event = newEvent()
    await workers.deliverBatch(batchOf(messageTo([fine], event), messageTo([failing], event)))
    expect(await countsOf(workers.table, fine)).toEqual({ total: 1, failed: 0 })
    expect(await countsOf(workers.table, failing)).toEqual({ total: 1, failed: 1 })
    const common = { event: event.event, duration_ms: expect.any(Number), request_id: 'request-1' }
    const stored = await storedDelivery(fine, event)
    expect(stored).toMatchObject({ ...common, status: 'succeeded', response_status: 200, error: null })
    expect(stored).not.toHaveProperty('open_pk')
    expect(await storedDelivery(failing, event)).toMatchObject({
      ...common,
      status: 'failed',
      response_status: 500,
      error: 'status',
    })
  })

  it('is sent once, even if its message is repeated or delivered in parallel', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const message = messageTo([webhook])
    const five = Array.from({ length: 5 }, () => message)
    expect(await workers.deliverBatch(batchOf(...five))).toEqual(NO_FAILURES)
    for (const again of five) await workers.deliverBatch(batchOf(again))
    expect(receiver.received).toHaveLength(1)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 0 })
  })

  it('fails without a connection for an address that is not public, and is counted', async () => {
    const webhook = await subscribe(workers.table, 'http://10.0.0.1/hook')
    const event = newEvent()
    await workers.deliverBatch(batchOf(messageTo([webhook], event)))
    expect(await storedDelivery(webhook, event)).toMatchObject({ status: 'failed', error: 'blocked_address' })
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 1 })
  })
})

describe('a delivery that starts', () => {
  it.each([
    ['deleted', (webhook: WebhookRecord) => removeWebhook(unitOfWorkOn(workers.table), refOf(webhook))],
    ['paused', (webhook: WebhookRecord) => change(webhook, { is_active: false })],
    ['paused and resumed', pauseAndResume],
  ])('sends nothing to a subscription that was %s since the fan-out', async (_what, alter) => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent({ happened_ms: Date.now() - 10 })
    await alter(webhook)
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(NO_FAILURES)
    expect(receiver.received).toEqual([])
    expect(await storedDelivery(webhook, event)).toBeUndefined()
  })

  it('uses the current URL', async () => {
    const [old, moved] = [await openSubscriber(), await openSubscriber()]
    const webhook = await subscribe(workers.table, old.url)
    await change(webhook, { url: moved.url })
    await workers.deliverBatch(batchOf(messageTo([webhook])))
    expect([old.received.length, moved.received.length]).toEqual([0, 1])
  })
})

describe('a batch of deliveries', () => {
  it('does not wait for a hanging subscriber', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const receivers = await Promise.all(Array.from({ length: 9 }, () => openSubscriber()))
    const slow = await subscribe(workers.table, hanging.url)
    const quick = await Promise.all(receivers.map(({ url }) => subscribe(workers.table, url)))
    let round = 0
    const areOthersFirst = async (): Promise<boolean> => {
      round++
      const batch = workers.deliverBatch(batchOf(...[slow, ...quick].map(webhook => messageTo([webhook]))))
      await until('nine deliveries to be counted', async () => {
        const counts = await Promise.all(quick.map(webhook => countsOf(workers.table, webhook)))
        return counts.every(({ total, failed }) => total === round && failed === 0)
      })
      const { total } = await countsOf(workers.table, slow)
      expect(await batch).toEqual(NO_FAILURES)
      return total < round
    }
    // It hangs for five seconds, which may be too short on a busy machine: then all are sent again.
    await until('the others to be counted before the one that hangs', areOthersFirst)
    expect(await countsOf(workers.table, slow)).toEqual({ total: round, failed: round })
  })

  it('logs a failure as a warning with host and reason, without the rest of the URL', async () => {
    const fine = await subscribe(workers.table, (await openSubscriber()).url)
    const { url } = await openSubscriber({ status: 500 })
    const failing = await subscribe(workers.table, `${url}/hooks/s3cret?key=s3cret`)
    const event = newEvent()
    workers.logged.splice(0)
    await workers.deliverBatch(batchOf(messageTo([fine], event), messageTo([failing], event)))
    const lines = Object.groupBy(workers.logged, ({ webhook_id }) => `${webhook_id}`)
    expect(lines[fine.id]).toMatchObject([{ level: 'info', message: 'delivery', ok: true }])
    expect(lines[failing.id]).toMatchObject([
      { level: 'warn', message: 'delivery', host: new URL(url).host, ok: false, responseStatus: 500 },
    ])
    expect(lines[failing.id]?.[0]?.error).toEqual(expect.stringMatching(/./))
    expect(JSON.stringify(workers.logged)).not.toContain('s3cret')
  })

  it('reports failed messages individually and processes the rest', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const batch = batchOf({ webhook_id: 'seven' }, messageTo([webhook]), '{')
    expect(await workers.deliverBatch(batch)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'message-0' }, { itemIdentifier: 'message-2' }],
    })
    expect(receiver.received).toHaveLength(1)
    // At the level debug, since they are retried.
    expect(workers.logged.filter(({ message }) => message === 'a message failed')).toMatchObject([
      { level: 'debug', queue: 'deliveries', message_id: 'message-0' },
      { level: 'debug', queue: 'deliveries', message_id: 'message-2' },
    ])
  })
})

function change(webhook: WebhookRecord, to: { is_active?: boolean; url?: string }) {
  return changeWebhook(unitOfWorkOn(workers.table), refOf(webhook), read =>
    changedWebhook(read, to, Date.now()),
  )
}

async function pauseAndResume(webhook: WebhookRecord) {
  await change(webhook, { is_active: false })
  await change(webhook, { is_active: true })
}
