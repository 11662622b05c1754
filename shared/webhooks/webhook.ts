// The record of a subscription, which events it gets, and what a change does. No I/O.
import * as z from 'zod/mini'
import { happenedSince } from '../accounts/ban.ts'
import { EVERY_EVENT, type EventMessage } from '../events/message.ts'
import type { Fields } from '../http/errors.ts'
import { type AddressPolicy, isBlockedHost } from './address.ts'
import { type WebhookChange, WebhookInput } from './contract.ts'
import { Int, Text, Webhook } from './fields.ts'

/** `revision` is increased by each change; the condition of a write. */
export const WebhookRecord = z.extend(z.omit(Webhook, { total_deliveries: true, failed_deliveries: true }), {
  owner_id: Int,
  /** A newer version may have stored names of events that this one does not know. */
  events: z.array(Text),
  /** When it was created or last resumed. It gets no earlier events. */
  active_since_ms: Int,
  sealed_secret: Text,
  created_at: Int,
  revision: Int,
  schema: z.int(),
})
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** The small copy of a subscription that fan-out reads. */
export const FanOutEntry = z.pick(WebhookRecord, {
  id: true,
  owner_id: true,
  events: true,
  is_active: true,
  active_since_ms: true,
})
export type FanOutEntry = z.infer<typeof FanOutEntry>

/** Finalised deliveries. The times are missing before the first one. */
export type DeliveryCounts = {
  total: number
  failed: number
  lastSuccessMs?: number | undefined
  lastFailureMs?: number | undefined
}
export const NO_DELIVERIES: DeliveryCounts = { total: 0, failed: 0 }

export function subscribesTo({ events }: Pick<FanOutEntry, 'events'>, eventName: string): boolean {
  return events.some(chosen => chosen === EVERY_EVENT || chosen === eventName)
}

/** The events for which it counts among those that want them. */
export function wantedBy({ is_active, events }: Pick<FanOutEntry, 'is_active' | 'events'>): string[] {
  return is_active ? events : []
}

/** A subscription gets no event from before its creation or from a pause. */
export function shouldDeliver(
  entry: FanOutEntry,
  { event, happened_ms }: Pick<EventMessage, 'event' | 'happened_ms'>,
  nowMs: number,
): boolean {
  const isNamed = entry.is_active && subscribesTo(entry, event)
  return isNamed && happenedSince(entry.active_since_ms, happened_ms, nowMs)
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

/** Returns the fault of a URL that no delivery could reach, without a name lookup. Ignores invalid URLs. */
export function checkUrl(body: object, policy: AddressPolicy): Fields {
  const { data } = WithUrl.safeParse(body)
  const isRefused = data !== undefined && isBlockedHost(new URL(data.url), policy)
  return isRefused ? { url: ['Must not point to a private or local address.'] } : {}
}

export const MAX_WEBHOOKS = 100

/** How long a subscription counts as slow after a time-out. The mark is written again after half of it. */
const SLOW_MS = 600_000
/** So that the item with the marks costs one read unit. The others stay unmarked. */
const MAX_SLOW = 100

/** Until when subscriptions count as slow, in milliseconds, by id. */
export type SlowMarks = Record<string, number>

export function isSlow(marks: SlowMarks, id: number, nowMs: number): boolean {
  return (marks[id] ?? 0) > nowMs
}

/** Adds marks and drops those that are over. Returns the same object if all marks are fresh. */
export function withSlow(marks: SlowMarks, ids: number[], nowMs: number): SlowMarks {
  const stale = ids.filter(id => !isSlow(marks, id, nowMs + SLOW_MS / 2))
  if (stale.length === 0) return marks
  const fresh = stale.map((id): [string, number] => [String(id), nowMs + SLOW_MS])
  const others = Object.entries(marks).filter(
    ([id, untilMs]) => untilMs > nowMs && !stale.includes(Number(id)),
  )
  return Object.fromEntries([...fresh, ...others].slice(0, MAX_SLOW))
}
