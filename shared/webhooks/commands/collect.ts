// Collects the events of a subscription with `quiet_seconds` in one item, its burst, and sends one event for
// all. The first event sends a message that closes the burst, and that waits until no event came for so long.
import * as z from 'zod/mini'
import { BATCH_EVENT } from '../../events/catalogue.ts'
import {
  type BurstMessage,
  type EventMessage,
  LONGEST_DELAY_SECONDS,
  type Message,
} from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { CHANGES_PATH, positionBefore } from '../../feed/position.ts'
import { cursorPlace, sealCursor } from '../../lists/cursor.ts'
import { type Environment, required } from '../../runtime/environment.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import { type Action, CONFLICT, ignoreConditionFailed, isNew } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { burstKey, collectedKey, deliveryKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { Burst, batchEvent, dueMs, isOverdue, joined } from '../burst.ts'
import { deliveriesMessage, expiryOf, firstAttempt, sentEvent } from '../delivery.ts'
import type { WebhookRecord } from '../webhook.ts'
import { putEvent } from './fan-out.ts'

const Note = z.object({ is_alone: z.boolean() })

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
    if (noted) return !Note.parse(noted).is_alone
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
    const hasClosingMessage = open && !isDropped && !isOverdue(open, nowMs)
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
