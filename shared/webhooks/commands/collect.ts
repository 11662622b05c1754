// A burst, from its first event to its hook. It is one item, in which the events of a subscription with
// `quiet_seconds` are collected. The first one sends a message that closes it once no event came for so long.
import * as z from 'zod/mini'
import { BATCH_EVENT } from '../../events/catalogue.ts'
import {
  type BurstMessage,
  type EventMessage,
  LONGEST_DELAY_SECONDS,
  type Message,
  newEventId,
} from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { CHANGES_PATH, positionBefore } from '../../feed/position.ts'
import { isoTime } from '../../http/time.ts'
import { cursorPlace, sealCursor } from '../../lists/cursor.ts'
import { type Environment, required } from '../../runtime/environment.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import { type Action, CONFLICT, ignoreConditionFailed, isNew } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { burstKey, collectedKey, deliveryKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { deliveriesMessage, expiryAt, expiryOf, firstAttempt, sentEvent } from '../delivery.ts'
import { DEFAULT_MAX_WAIT_SECONDS, Int, Text } from '../fields.ts'
import type { WebhookRecord } from '../webhook.ts'
import { putEvent } from './fan-out.ts'

const Burst = z.object({
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
  items: z.array(z.object({ event: Text, id: Int, slug: z.optional(Text) })),
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

/**
 * Returns false if the event is to be delivered alone. A note says which: its message may come again after
 * a change of `quiet_seconds`. A subscription that never had any writes no notes.
 */
export async function collect(
  { table, work }: { table: Table; work: UnitOfWork },
  webhook: WebhookRecord,
  event: EventMessage,
): Promise<boolean> {
  const { id, quiet_seconds, active_since_ms } = webhook
  if (quiet_seconds === undefined || event.event === BATCH_EVENT) return false
  const burstAt = burstKey(id)
  const noteAt = collectedKey(id, event.id)
  const deliveryAt = deliveryKey(id, event.id)
  const note = (is_alone: boolean): Action => ({
    onConditionFailed: CONFLICT,
    Put: { Item: { ...noteAt, is_alone, expires: expiryOf(event.id) }, ...isNew },
  })
  return await retryOnConflict(async () => {
    const keys = [burstAt, noteAt, deliveryAt]
    const items = await table.findMany(keys)
    const [before, noted, claimed] = keys.map(({ pk, sk }) =>
      items.find(item => item.pk === pk && item.sk === sk),
    )
    if (noted) return noted.is_alone === false
    if (quiet_seconds === 0 || claimed) {
      await work.commit({ actions: [note(true)] })
      return false
    }
    const open = before && Burst.parse(before)
    // A pause drops what happened before it.
    if (open && open.active_since_ms > active_since_ms) return true
    const nowMs = work.clock()
    const isDropped = open && open.active_since_ms < active_since_ms
    const burst = joined(webhook, isDropped ? undefined : open, event, nowMs)
    // One that is late may have been lost, for example among the dead letters of a fault.
    const hasClosingMessage = open && !isDropped && nowMs < dueMs(open)
    await work.commit({
      actions: [
        note(false),
        { onConditionFailed: CONFLICT, Put: { Item: { ...burstAt, ...burst }, ...asRead(open) } },
        { onConditionFailed: CONFLICT, ConditionCheck: { Key: deliveryAt, ...isNew } },
      ],
      messages: hasClosingMessage ? [] : [closingMessage(burst, nowMs)],
    })
    return true
  })
}

const MAX_ITEMS = 100

/** The event opens a burst, or joins the one before. A change of the two times acts on the next burst. */
function joined(
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
function dueMs({ quiet_seconds, max_wait_seconds, opened_ms, collected_ms }: Burst): number {
  return Math.min(collected_ms + quiet_seconds * 1000, opened_ms + max_wait_seconds * 1000)
}

/** No event has joined it, and no other function has closed it. */
function asRead(burst: Burst | undefined) {
  if (!burst) return isNew
  return {
    ConditionExpression: 'id = :id AND #count = :count',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: { ':id': burst.id, ':count': burst.count },
  }
}

function closingMessage(burst: Burst, nowMs: number): Message {
  const waitSeconds = Math.max(0, Math.ceil((dueMs(burst) - nowMs) / 1000))
  return {
    queue: 'events',
    body: { kind: 'burst', webhook_id: burst.webhook_id, id: burst.id },
    delaySeconds: Math.min(LONGEST_DELAY_SECONDS, waitSeconds),
  }
}

/**
 * Turns a burst into an event that is delivered as any other, to a subscription that still gets it. A message
 * that is too early is sent again; one that comes again finds another burst or none.
 */
export async function closeBurst(
  { table, work, sender, environment }: JobContext,
  { webhook_id, id }: BurstMessage,
): Promise<void> {
  await retryOnConflict(async () => {
    const burst = await findBurst(table, webhook_id)
    if (burst?.id !== id) return
    const nowMs = work.clock()
    if (nowMs < dueMs(burst)) {
      const sent = await sender.send([closingMessage(burst, nowMs)])
      return requireSent(sent, 'messages that close a burst')
    }
    const texts = { url: await work.siteUrl(), cursor: cursorBefore(environment, burst.first_ms) }
    const event = batchEvent(burst, texts, nowMs)
    const attempt = firstAttempt({ id: webhook_id, owner_id: burst.owner_id }, event.id)
    await work.commit({
      actions: [
        { onConditionFailed: CONFLICT, Delete: { Key: burstKey(webhook_id), ...asRead(burst) } },
        putEvent(sentEvent(event)),
      ],
      messages: [deliveriesMessage([attempt], event)],
    })
  })
}

/** It is delivered as any event, to its subscription alone. */
function batchEvent(
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

/** What a subscription is collecting. */
export function findBurst(table: Table, webhookId: number): Promise<Burst | undefined> {
  return table.find(burstKey(webhookId), Burst)
}

/** Does nothing if another one is open by now. */
export function dropBurst(table: Table, { id, webhook_id }: Burst): Promise<void> {
  const isSame = { ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': id } }
  return table.write({ Delete: { Key: burstKey(webhook_id), ...isSame } }).catch(ignoreConditionFailed)
}

/** A cursor of GET /changes whose answer has what this event was about. */
export function cursorBefore(environment: Pick<Environment, 'CLIENT_KEY'>, happenedMs: number): string {
  const place = cursorPlace(required(environment, 'CLIENT_KEY'), { method: 'GET', path: CHANGES_PATH })
  return sealCursor(positionBefore(happenedMs), place)
}
