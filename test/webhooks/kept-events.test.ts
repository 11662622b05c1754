// How long the log keeps the payload of an event: as long as the last delivery that shows it.
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { deliveryKey, eventKey } from '../../shared/table/design.ts'
import { redeliver } from '../../shared/webhooks/commands/redeliver.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { refOf, useRedeliveries } from './redelivery-world.ts'
import { messageTo, newEvent, subscribe } from './subscriptions.ts'

const DAY_SECONDS = 86_400
const world = useRedeliveries()
const { workers } = world
const Expiring = z.object({ expires: z.int() })

/** In days from now, to the minute. */
async function daysLeft(webhook: WebhookRecord, eventId: string) {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const items = [eventKey(eventId), deliveryKey(webhook.id, eventId)]
  const found = await Promise.all(items.map(key => workers.table.find(key, Expiring)))
  const [event, delivery] = found.map(item => ((item?.expires ?? 0) - nowSeconds) / DAY_SECONDS)
  return { event: event ?? 0, delivery: delivery ?? 0 }
}

it('an event is kept 30 days, as long as its delivery', async () => {
  const { webhook, events } = await world.open()
  const { event, delivery } = await daysLeft(webhook, events[0]?.id ?? '')
  expect(event).toBeCloseTo(30, 2)
  expect(event).toBeGreaterThanOrEqual(delivery)
})

it('an event that is delivered 17 days late is kept for 30 days from then on', async () => {
  const webhook = await subscribe(workers.table, world.recorder.url('200'))
  const event = newEvent()
  const later = workers.openFunction()
  await later.fanOut(event)
  later.advance(17 * DAY_SECONDS * 1000)
  await later.deliverBatch(batchOf(messageTo([webhook], event)))
  const left = await daysLeft(webhook, event.id)
  expect(left.event).toBeCloseTo(47, 2)
  expect(left.event).toBeGreaterThanOrEqual(left.delivery)
})

it('a redelivery extends the event and its first delivery to its own 30 days', async () => {
  const { webhook, events, id } = await world.open()
  const { work, messages } = world.collecting()
  const laterMs = Date.now() + 20 * DAY_SECONDS * 1000
  await redeliver({ ...work, nowMs: laterMs }, refOf(webhook), id)
  expect(messages).toHaveLength(1)
  const left = await daysLeft(webhook, events[0]?.id ?? '')
  expect(left.event).toBeCloseTo(50, 2)
  expect(left.event).toBeGreaterThanOrEqual(left.delivery)
  expect(left.delivery).toBeCloseTo(50, 2)
})

it('an event that was erased is not kept again by a late delivery', async () => {
  const webhook = await subscribe(workers.table, world.recorder.url('200'))
  const event = newEvent()
  const later = workers.openFunction()
  later.advance(DAY_SECONDS * 1000)
  await later.deliverBatch(batchOf(messageTo([webhook], event)))
  expect(world.recorder.recorded).toHaveLength(1)
  expect(await workers.table.find(eventKey(event.id), Expiring)).toBeUndefined()
})
