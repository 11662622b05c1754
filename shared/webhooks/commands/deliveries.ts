// Claims an attempt before its one POST, so that no other message sends it again.
import { createHash, randomUUID } from 'node:crypto'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { OPEN_INDEX, OPEN_SHARDS, openPartition, sortable } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import {
  type AttemptRef,
  attemptKey,
  type ClaimState,
  deliveryId,
  LEASE_MS,
  type OpenDelivery,
  stateOfClaim,
} from '../delivery.ts'
import { attemptExpires, type LoggedEvent } from '../sent-event.ts'

export type ClaimOptions = {
  nowMs: number
  /**
   * Whether the sweep finds the claim by an index if its function dies. Otherwise its message ends it, which
   * stays in the queue until then. The index costs two writes.
   */
  isIndexed: boolean
  /** The request, for the log. */
  url?: string
  sender?: string
}

/** Returns false if the delivery was claimed before. The sweep ends it if its function dies. */
export async function claimDelivery(
  table: Table,
  delivery: OpenDelivery,
  event: LoggedEvent,
  nowMs: number,
): Promise<boolean> {
  return (await claim(table, delivery, event, { nowMs, isIndexed: true })) === 'claimed'
}

/** Returns 'claimed', or the state of the earlier claim. */
export function claim(
  table: Table,
  delivery: AttemptRef,
  event: LoggedEvent,
  options: ClaimOptions,
): Promise<'claimed' | ClaimState> {
  return putClaim(table, claimOf(delivery, event, options), options.nowMs)
}

export type Claim = Item & { claim: string; attempt?: number | undefined; expires: number }

/** The record of an attempt from its claim on. */
export function claimOf(
  { webhook_id, owner_id, event_id, later }: AttemptRef,
  event: LoggedEvent,
  { nowMs, isIndexed, url, sender }: ClaimOptions,
): Claim {
  const delivery = { webhook_id, owner_id, event_id }
  return {
    ...attemptKey({ ...delivery, later }),
    ...delivery,
    event: event.event,
    occurred_at: event.occurred_at,
    request_id: event.request_id,
    gateway_request_id: event.gateway_request_id,
    resource: event.resource,
    attempt: later?.attempt,
    url,
    sender,
    attempted_ms: nowMs,
    status: 'sending',
    claim: randomUUID(),
    ...(isIndexed && openEntry(delivery, nowMs)),
    expires: attemptExpires(nowMs),
    schema: 1,
  }
}

/** The first attempt has no record before its claim. A later one is queued. */
export async function putClaim(table: Table, Item: Claim, nowMs: number): Promise<'claimed' | ClaimState> {
  const condition =
    Item.attempt === undefined
      ? isNew
      : {
          ConditionExpression: '#status = :queued',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':queued': 'queued' },
        }
  const Put = {
    Item,
    ...condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
  try {
    await table.write({ Put })
    return 'claimed'
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // The record of a later attempt has left the log.
    if (!error.item) return 'ended'
    // The existing claim may be this one, if only the table's answer was lost.
    return error.item.claim === Item.claim ? 'claimed' : stateOfClaim(error.item, nowMs)
  }
}

function openEntry(delivery: OpenDelivery, nowMs: number) {
  const shard = createHash('md5').update(deliveryId(delivery)).digest().readUInt16BE() % OPEN_SHARDS
  return { [OPEN_INDEX.pk]: openPartition(shard), [OPEN_INDEX.sk]: sortable(nowMs + LEASE_MS) }
}
