// Messages with several subscriptions, and functions that die while they deliver one.
import * as z from 'zod/mini'
import type { EventMessage } from '../../shared/events/message.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { claim } from '../../shared/webhooks/commands/deliveries.ts'
import { openDelivery } from '../../shared/webhooks/delivery.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { messageTo, newEvent, subscribe } from './subscriptions.ts'
import type { Workers } from './workers.ts'

const LEASE_MS = 60_000
/** The message leaves the queue. */
export const DONE = { batchItemFailures: [] }
/** It stays in the queue. */
export const STAYS = { batchItemFailures: [{ itemIdentifier: 'message-0' }] }

export function storedDelivery({ table }: Workers, { id }: WebhookRecord, event: EventMessage) {
  return table.find(deliveryKey(id, event.id), z.looseObject({ status: z.string() }))
}

/** A message with so many new subscriptions, which one receiver answers. */
export async function openMessage({ table }: Workers, count: number) {
  const receiver = await openSubscriber()
  const webhooks: WebhookRecord[] = []
  while (webhooks.length < count) webhooks.push(await subscribe(table, receiver.url))
  const event = newEvent()
  return { receiver, webhooks, event, batch: batchOf(messageTo(webhooks, event)) }
}

/** Claims as a function that dies after it. */
export function claimAndDie({ table }: Workers, webhook: WebhookRecord, event: EventMessage) {
  return claim(table, openDelivery(webhook, event), event, { nowMs: Date.now() })
}

/** A function that runs after the leases of claims have ended. */
export function laterFunction(workers: Workers) {
  const later = workers.openFunction()
  later.advance(LEASE_MS + 1_000)
  return later
}
