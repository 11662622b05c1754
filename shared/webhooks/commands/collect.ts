// A burst, from its first event to its hook. It is one item, in which the events of a subscription with
// `quiet_seconds` are collected. The first one sends a message that closes it once no event came for so long.
import * as z from 'zod/mini'
import { BATCH_EVENT } from '../../events/catalogue.ts'
import {
  type BurstMessage,
  type EventMessage,
  eventMessage,
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
import { type Action, CONFLICT, isNew } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { burstKey, collectedKey, deliveryKey, type Key } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { deliveriesMessage, expiryAt, expiryOf, firstAttempt, putEvent, sentEvent } from '../delivery.ts'
import { DEFAULT_MAX_WAIT_SECONDS, Int, Text } from '../fields.ts'
import type { WebhookRecord } from '../webhook.ts'

const Burst = z.object({
  /** An event id, which has the time when the burst was opened. */
  id: Text,
  webhook_id: Int,
  owner_id: Int,
  /** As the subscription had it. A pause since then has dropped the burst. */
  active_since_ms: Int,
  /** Of the subscription when the burst was opened: a change acts on the next one. */
  quiet_seconds: Int,
  count: Int,
  /** By the name of the event. */
  events: z.record(Text, Int),
  /** The first ones. */
  items: z.array(z.object({ event: Text, id: Int, slug: z.optional(Text) })),
  /** When the first and the last of them happened. */
  first_ms: Int,
  last_ms: Int,
  /** When it is sent, and the latest time for that. */
  due_ms: Int,
  latest_ms: Int,
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
  work: UnitOfWork,
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
    const items = await work.table.findMany([burstAt, noteAt, deliveryAt])
    const itemAt = ({ pk, sk }: Key) => items.find(item => item.pk === pk && item.sk === sk)
    const noted = itemAt(noteAt)
    if (noted) return noted.is_alone === false
    if (quiet_seconds === 0 || itemAt(deliveryAt)) {
      await work.commit({ actions: [note(true)] })
      return false
    }
    const stored = itemAt(burstAt)
    const before = stored && Burst.parse(stored)
    // A pause drops what happened before it: this event, if the subscription was read before the pause.
    if (before && before.active_since_ms > active_since_ms) return true
    const open = before?.active_since_ms === active_since_ms ? before : undefined
    const nowMs = work.clock()
    const burst = joined(webhook, open, event, nowMs)
    // One that is late may have been lost, for example among the dead letters of a fault.
    const hasClosingMessage = open && nowMs < open.due_ms
    await work.commit({
      actions: [
        note(false),
        { onConditionFailed: CONFLICT, Put: { Item: { ...burstAt, ...burst }, ...asRead(before) } },
        { onConditionFailed: CONFLICT, ConditionCheck: { Key: deliveryAt, ...isNew } },
      ],
      messages: hasClosingMessage ? [] : [closingMessage(burst, nowMs)],
    })
    return true
  })
}

const MAX_ITEMS = 100

/** The event opens a burst, or joins the one before. */
function joined(
  webhook: WebhookRecord,
  before: Burst | undefined,
  { event, data, happened_ms, request_id }: EventMessage,
  nowMs: number,
): Burst {
  const { id: webhook_id, owner_id, active_since_ms } = webhook
  const { max_wait_seconds = DEFAULT_MAX_WAIT_SECONDS } = webhook
  const opened = { id: newEventId(nowMs), latest_ms: nowMs + max_wait_seconds * 1000 }
  const { id, latest_ms } = before ?? opened
  const { quiet_seconds = 0 } = before ?? webhook
  const { count = 0, events = {}, items = [], first_ms = happened_ms, last_ms = happened_ms } = before ?? {}
  const item = { event, id: Number(data.id), ...(typeof data.slug === 'string' && { slug: data.slug }) }
  return {
    ...{ id, webhook_id, owner_id, active_since_ms, quiet_seconds, latest_ms, request_id },
    count: count + 1,
    events: { ...events, [event]: (events[event] ?? 0) + 1 },
    items: [...items, item].slice(0, MAX_ITEMS),
    first_ms: Math.min(first_ms, happened_ms),
    last_ms: Math.max(last_ms, happened_ms),
    due_ms: Math.min(nowMs + quiet_seconds * 1000, latest_ms),
    expires: expiryAt(nowMs),
  }
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

function closingMessage({ webhook_id, id, due_ms }: Burst, nowMs: number): Message {
  const waitSeconds = Math.max(0, Math.ceil((due_ms - nowMs) / 1000))
  return {
    queue: 'events',
    body: { kind: 'burst', webhook_id, id },
    delaySeconds: Math.min(LONGEST_DELAY_SECONDS, waitSeconds),
  }
}

/**
 * Turns a burst into an event that is delivered as any other, to its subscription if that still gets it.
 * A message that is too early is sent again; one that comes again finds another burst or none.
 */
export async function closeBurst(
  { table, work, sender, environment }: JobContext,
  message: BurstMessage,
): Promise<void> {
  await retryOnConflict(async () => {
    const burst = await findBurst(table, message.webhook_id)
    if (burst?.id !== message.id) return
    const nowMs = work.clock()
    if (nowMs < burst.due_ms) {
      const sent = await sender.send([closingMessage(burst, nowMs)])
      return requireSent(sent, 'messages that close a burst')
    }
    const { webhook_id: id, owner_id, count, events, items, first_ms, last_ms, request_id } = burst
    // By a clock that was ahead it may be active only since then: none of what was collected is dropped.
    const happened_ms = Math.max(last_ms, burst.active_since_ms)
    const url = await work.siteUrl()
    const first_at = isoTime(Math.floor(first_ms / 1000))
    const cursor = cursorBefore(environment, first_ms)
    const data = { id, url, count, first_at, events, items, cursor }
    const event = eventMessage({ event: BATCH_EVENT, happened_ms, request_id, data }, nowMs)
    await work.commit({
      actions: [
        { onConditionFailed: CONFLICT, Delete: { Key: burstKey(id), ...asRead(burst) } },
        putEvent(sentEvent(event)),
      ],
      messages: [deliveriesMessage([firstAttempt({ id, owner_id }, event.id)], event)],
    })
  })
}

/** What a subscription is collecting. */
export function findBurst(table: Table, webhookId: number): Promise<Burst | undefined> {
  return table.find(burstKey(webhookId), Burst)
}

/** A cursor of GET /changes whose answer has what this event was about. */
export function cursorBefore(environment: Pick<Environment, 'CLIENT_KEY'>, happenedMs: number): string {
  const place = cursorPlace(required(environment, 'CLIENT_KEY'), { method: 'GET', path: CHANGES_PATH })
  return sealCursor(positionBefore(happenedMs), place)
}
