// Deliveries: sent at most once, counted once, and independent of slow subscribers.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../shared/events/catalogue.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { openRecorder } from './recording.ts'
import { failed, succeeded } from './servers.ts'
import {
  change,
  countsOf,
  messageTo,
  newEvent,
  remove,
  SECRET,
  storedDelivery,
  subscribe,
} from './subscriptions.ts'
import { DONE, startWorkers } from './workers.ts'

const workers = use(startWorkers)

describe('a delivery', () => {
  it('is one signed POST of exactly event, occurred_at and data', async () => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const data = { ...EVENTS['post.published'].sample, title: 'Grüße 👋' }
    const event = newEvent({ data, request_id: 'build-7' })
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(DONE)

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
  })

  it('is counted and stored with its outcome', async () => {
    const fine = await subscribe(workers.table, (await openSubscriber()).url)
    const failing = await subscribe(workers.table, (await openSubscriber({ status: 500 })).url)
    const event = newEvent()
    await workers.deliverBatch(batchOf(messageTo([fine], event), messageTo([failing], event)))
    expect(await countsOf(workers.table, fine)).toEqual({ total: 1, failed: 0 })
    expect(await countsOf(workers.table, failing)).toEqual({ total: 1, failed: 1 })
    const common = { event: event.event, duration_ms: expect.any(Number), request_id: 'request-1' }
    expect(await storedDelivery(workers, fine, event)).toMatchObject({ ...common, ...succeeded() })
    const expected = { ...common, ...failed('status', 500) }
    expect(await storedDelivery(workers, failing, event)).toMatchObject(expected)
  })
})

describe('a delivery that starts', () => {
  it.each([
    ['deleted', (webhook: WebhookRecord) => remove(workers.table, webhook)],
    ['paused', (webhook: WebhookRecord) => change(workers.table, webhook, { is_active: false })],
    ['paused and resumed', pauseAndResume],
  ])('sends nothing to a subscription that was %s since the fan-out', async (_what, alter) => {
    const receiver = await openSubscriber()
    const webhook = await subscribe(workers.table, receiver.url)
    const event = newEvent({ happened_ms: Date.now() - 10 })
    await alter(webhook)
    expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(DONE)
    expect(receiver.received).toEqual([])
    expect(await storedDelivery(workers, webhook, event)).toBeUndefined()
  })
})

describe('a batch of deliveries', () => {
  it('logs a failure as a warning with host and reason, without the rest of the URL and headers', async () => {
    const headers = { Authorization: 'Bearer s3cret' }
    const fine = await subscribe(workers.table, (await openSubscriber()).url, { headers })
    const { url } = await openSubscriber({ status: 500 })
    const failing = await subscribe(workers.table, `${url}/hooks/s3cret?key=s3cret`, { headers })
    const event = newEvent()
    workers.logged.splice(0)
    await workers.deliverBatch(batchOf(messageTo([fine], event), messageTo([failing], event)))
    const lines = Object.groupBy(workers.logged, ({ webhook_id }) => `${webhook_id}`)
    expect(lines[fine.id]).toMatchObject([{ level: 'info', message: 'delivery', status: 'succeeded' }])
    expect(lines[failing.id]).toMatchObject([
      { level: 'warn', message: 'delivery', host: new URL(url).host, status: 'failed', response_status: 500 },
    ])
    expect(lines[failing.id]?.[0]?.error).toEqual(expect.stringMatching(/./))
    expect(JSON.stringify(workers.logged)).not.toContain('s3cret')
  })
})

describe('what a delivery costs', () => {
  it('is two calls and five units more than a share of one read for its message', async () => {
    const receiver = await openSubscriber()
    const first = await subscribe(workers.table, receiver.url)
    const webhooks = [first]
    while (webhooks.length < 25) {
      webhooks.push(await subscribe(workers.table, receiver.url, { ownerId: first.owner_id }))
    }
    await workers.deliverBatch(batchOf(messageTo(webhooks)))
    const { used } = await workers.measure(() => workers.deliverBatch(batchOf(messageTo(webhooks))))
    // The subscriptions, their owner and a token; for each a claim, and a transaction of outcome and count.
    expect(used.readUnits).toBe(25 + 2)
    expect(used.writeUnits).toBe(25 * (1 + 2 + 2))
    expect(used.calls).toBe(1 + 25 + 25)
  })

  it('is one unit more for its event, and two more for a long answer', async () => {
    const recorder = await openRecorder()
    for (const [path, units] of [
      ['200', 1 + 1 + 2 + 2],
      ['long', 1 + 1 + 4 + 2],
    ] as const) {
      const webhook = await subscribe(workers.table, recorder.url(path))
      const event = newEvent()
      const { used } = await workers.measure(async () => {
        await workers.openFunction().fanOut(event)
        await workers.deliverBatch(batchOf(messageTo([webhook], event)))
      })
      expect([path, used.writeUnits]).toEqual([path, units])
    }
  })
})

async function pauseAndResume(webhook: WebhookRecord) {
  await change(workers.table, webhook, { is_active: false })
  await change(workers.table, webhook, { is_active: true })
}
