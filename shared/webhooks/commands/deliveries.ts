// Claims a delivery before its one POST, and finalises it with its outcome.
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventMessage } from '../../events/message.ts'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { exists, isNew } from '../../table/conditions.ts'
import { startDeadline } from '../../table/deadline.ts'
import {
  COUNTER_SHARDS,
  deliveryKey,
  OPEN_INDEX,
  OPEN_SHARDS,
  openPartition,
  sortable,
  webhookCounterKey,
} from '../../table/design.ts'
import { type DeliveryOutcome, deliveryId, type OpenDelivery } from '../delivery.ts'

/** Longer than any function runs: an older claim was interrupted. */
const LEASE_MS = 60_000

const RETENTION_SECONDS = 30 * 24 * 60 * 60

/** The POST cannot be undone, so storing its outcome is retried for this long. */
const FINALISE_TIMEOUT_MS = 10_000

const LONGEST_PAUSE_MS = 500

/** Returns false if the delivery was claimed before. */
export async function claimDelivery(
  table: Table,
  delivery: OpenDelivery,
  event: EventMessage,
  nowMs: number,
): Promise<boolean> {
  const claim = randomUUID()
  const Item = {
    ...deliveryKey(delivery.webhook_id, delivery.event_id),
    ...delivery,
    event: event.event,
    occurred_at: event.occurred_at,
    request_id: event.request_id,
    gateway_request_id: event.gateway_request_id,
    attempted_ms: nowMs,
    status: 'sending',
    claim,
    [OPEN_INDEX.pk]: openPartition(shardOf(delivery, OPEN_SHARDS)),
    [OPEN_INDEX.sk]: sortable(nowMs + LEASE_MS),
    expires: Math.ceil(nowMs / 1000) + RETENTION_SECONDS,
    schema: 1,
  }
  const Put = {
    Item,
    ...isNew,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
  try {
    await table.write({ Put })
    return true
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // The existing claim may be this one, if only the table's answer was lost.
    return error.item?.claim === claim
  }
}

/** Finalises and counts a delivery once. For a deleted subscription it is not counted. */
export async function finaliseDelivery(
  table: Table,
  delivery: OpenDelivery,
  outcome: DeliveryOutcome,
): Promise<void> {
  const end = finalState(delivery, outcome)
  const reasons = await failedConditions(() => table.transact([end, countDelivery(delivery, outcome)]))
  if (reasons.includes('ended') || !reasons.includes('deleted')) return
  await failedConditions(() => table.transact([end]))
}

function finalState(delivery: OpenDelivery, outcome: DeliveryOutcome): Action {
  return {
    onConditionFailed: 'ended',
    Update: {
      Key: deliveryKey(delivery.webhook_id, delivery.event_id),
      UpdateExpression: `SET #status = :status, response_status = :response_status, #error = :error,
      duration_ms = :duration_ms REMOVE ${OPEN_INDEX.pk}, ${OPEN_INDEX.sk}`,
      ConditionExpression: '#status = :sending',
      ExpressionAttributeNames: { '#status': 'status', '#error': 'error' },
      ExpressionAttributeValues: {
        ':sending': 'sending',
        ':status': outcome.ok ? 'succeeded' : 'failed',
        ':response_status': outcome.responseStatus,
        ':error': outcome.error,
        ':duration_ms': outcome.durationMs,
      },
    },
  }
}

function countDelivery(delivery: OpenDelivery, { ok }: DeliveryOutcome): Action {
  return {
    onConditionFailed: 'deleted',
    Update: {
      Key: webhookCounterKey(delivery.owner_id, delivery.webhook_id, shardOf(delivery, COUNTER_SHARDS)),
      UpdateExpression: 'ADD #total :one, failed :failed',
      ...exists,
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':one': 1, ':failed': ok ? 0 : 1 },
    },
  }
}

function shardOf(delivery: OpenDelivery, shards: number): number {
  return createHash('md5').update(deliveryId(delivery)).digest().readUInt16BE() % shards
}

/** Returns the meanings of the conditions that failed, none after a write. Retries other failures. */
async function failedConditions(write: () => Promise<void>): Promise<string[]> {
  const hasTime = startDeadline(FINALISE_TIMEOUT_MS)
  for (;;) {
    try {
      await write()
      return []
    } catch (error) {
      if (error instanceof ConditionFailed) return error.reasons
      if (!hasTime()) throw error
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }
}
