// A burst: the events that a subscription has collected, when it is over, and what it becomes. No I/O.
import * as z from 'zod/mini'
import { BATCH_EVENT } from '../events/catalogue.ts'
import { type EventMessage, newEventId } from '../events/message.ts'
import { isoTime } from '../http/time.ts'
import { expiryAt } from './delivery.ts'
import { DEFAULT_MAX_WAIT_SECONDS, Int, Text } from './fields.ts'
import type { WebhookRecord } from './webhook.ts'

const Item = z.object({ event: Text, id: Int, slug: z.optional(Text) })

export const Burst = z.object({
  id: Text,
  webhook_id: Int,
  owner_id: Int,
  /** As the subscription had it. A pause since then has dropped the burst. */
  active_since_ms: Int,
  quiet_seconds: Int,
  max_wait_seconds: Int,
  count: Int,
  /** By the name of the event. */
  events: z.record(Text, Int),
  /** The first ones. */
  items: z.array(Item),
  /** When the first and the last of them happened. */
  first_ms: Int,
  last_ms: Int,
  /** When the first and the last of them were collected. */
  opened_ms: Int,
  collected_ms: Int,
  /** The id of the request that caused the last of them. */
  request_id: Text,
  expires: Int,
})
export type Burst = z.infer<typeof Burst>

const MAX_ITEMS = 100

/** The event opens a burst, or joins the one before. A change of the two times acts on the next burst. */
export function joined(
  webhook: WebhookRecord,
  before: Burst | undefined,
  { event, data, happened_ms, request_id }: EventMessage,
  nowMs: number,
): Burst {
  const { id: webhook_id, owner_id, active_since_ms } = webhook
  const { quiet_seconds = 0, max_wait_seconds = DEFAULT_MAX_WAIT_SECONDS } = webhook
  const times = { quiet_seconds, max_wait_seconds, opened_ms: nowMs }
  const burst = before ?? { id: newEventId(nowMs), webhook_id, owner_id, active_since_ms, ...times }
  const { count = 0, events = {}, items = [], first_ms = happened_ms, last_ms = happened_ms } = before ?? {}
  const item = { event, id: Number(data.id), ...(typeof data.slug === 'string' && { slug: data.slug }) }
  return {
    ...burst,
    count: count + 1,
    events: { ...events, [event]: (events[event] ?? 0) + 1 },
    items: [...items, item].slice(0, MAX_ITEMS),
    first_ms: Math.min(first_ms, happened_ms),
    last_ms: Math.max(last_ms, happened_ms),
    collected_ms: nowMs,
    request_id,
    expires: expiryAt(nowMs),
  }
}

/** When it is sent. */
export function dueMs({ quiet_seconds, max_wait_seconds, opened_ms, collected_ms }: Burst): number {
  return Math.min(collected_ms + quiet_seconds * 1000, opened_ms + max_wait_seconds * 1000)
}

/** The message that closes a burst was lost, for example among the dead letters of a fault. */
const LOST_AFTER_MS = 5 * 60_000

export function isOverdue(burst: Burst, nowMs: number): boolean {
  return dueMs(burst) + LOST_AFTER_MS < nowMs
}

/** It is delivered as any event, to its subscription alone. */
export function batchEvent(
  burst: Burst,
  { url, cursor }: { url: string; cursor: string },
  nowMs: number,
): EventMessage {
  const { webhook_id, count, events, items, first_ms, last_ms, request_id } = burst
  const first_at = isoTime(Math.floor(first_ms / 1000))
  return {
    kind: 'event',
    id: newEventId(nowMs),
    event: BATCH_EVENT,
    occurred_at: isoTime(Math.floor(last_ms / 1000)),
    happened_ms: last_ms,
    request_id,
    data: { id: webhook_id, url, count, first_at, events, items, cursor },
  }
}
