// Claims an attempt before its one POST, so that no other message sends it again, and reads claims.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import type { Item } from '../../table/key.ts'
import { type AttemptRef, attemptKey, type ClaimState, stateOfClaim } from '../delivery.ts'
import { attemptExpires, type LoggedEvent } from '../sent-event.ts'

export type ClaimOptions = {
  nowMs: number
  /** The request, for the log. */
  url?: string
  sender?: string
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
  { nowMs, url, sender }: ClaimOptions,
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

const ClaimItem = z.record(z.string(), z.unknown())

/** The record of an attempt that was claimed. */
export function findClaim(table: Table, delivery: AttemptRef) {
  return table.find(attemptKey(delivery), ClaimItem)
}
