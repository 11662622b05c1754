// The rules of subscriptions: who is due which event, and what a change makes of one. No I/O.
import * as z from 'zod/mini'
import type { EventMessage } from '../events/message.ts'
import type { Fields } from '../http/errors.ts'
import { type AddressPolicy, isBlockedHost } from './address.ts'
import { Webhook, type WebhookChange, WebhookInput, WILDCARD } from './contract.ts'

/** `revision` counts the writes; whoever changes a record names the one that was read. */
export const WebhookRecord = z.extend(z.omit(Webhook, { total_deliveries: true, failed_deliveries: true }), {
  owner_id: z.int(),
  /** Since when it listens without a pause: what happened before is not for it. */
  active_since_ms: z.int(),
  sealed_secret: z.string(),
  created_at: z.int(),
  revision: z.int(),
  schema: z.literal(1),
})
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** What fan-out knows of a subscription. */
export const FanOutEntry = z.pick(WebhookRecord, {
  id: true,
  owner_id: true,
  events: true,
  is_active: true,
  active_since_ms: true,
})
export type FanOutEntry = z.infer<typeof FanOutEntry>

/** Deliveries that ended. */
export type DeliveryCounts = { total: number; failed: number }
export const NO_DELIVERIES: DeliveryCounts = { total: 0, failed: 0 }

export function subscribesTo({ events }: Pick<FanOutEntry, 'events'>, eventName: string): boolean {
  return events.some(chosen => chosen === WILDCARD || chosen === eventName)
}

/** Nothing that happened before a subscription existed or while it was paused. */
export function shouldDeliver(
  entry: FanOutEntry,
  { event, happened_ms }: Pick<EventMessage, 'event' | 'happened_ms'>,
): boolean {
  return entry.is_active && entry.active_since_ms <= happened_ms && subscribesTo(entry, event)
}

type NewWebhookFields = { id: number; ownerId: number; sealedSecret: string; nowMs: number }

export function newWebhook(
  { name, url, events }: WebhookInput,
  { id, ownerId, sealedSecret, nowMs }: NewWebhookFields,
): WebhookRecord {
  return {
    id,
    owner_id: ownerId,
    name,
    url,
    events,
    is_active: true,
    active_since_ms: nowMs,
    sealed_secret: sealedSecret,
    created_at: Math.floor(nowMs / 1000),
    revision: 1,
    schema: 1,
  }
}

export function changedWebhook(
  webhook: WebhookRecord,
  { name, url, events, is_active }: WebhookChange,
  nowMs: number,
): WebhookRecord {
  return {
    ...webhook,
    name: name ?? webhook.name,
    url: url ?? webhook.url,
    events: events ?? webhook.events,
    is_active: is_active ?? webhook.is_active,
    active_since_ms: is_active && !webhook.is_active ? nowMs : webhook.active_since_ms,
  }
}

const WithUrl = z.pick(WebhookInput, { url: true })

/** The fault of an address that no delivery could ever reach; no name is looked up for it. What is no URL has another. */
export function checkUrl(body: object, policy: AddressPolicy): Fields {
  const { data } = WithUrl.safeParse(body)
  const isRefused = data !== undefined && isBlockedHost(new URL(data.url), policy)
  return isRefused ? { url: ['Must not point to a private or local address.'] } : {}
}

export const MOST_WEBHOOKS = 100
