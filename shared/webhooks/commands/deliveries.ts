// Claims a delivery before its one POST, so that no other message sends it again.
import { createHash, randomUUID } from 'node:crypto'
import type { EventMessage } from '../../events/message.ts'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { deliveryKey, OPEN_INDEX, OPEN_SHARDS, openPartition, sortable } from '../../table/design.ts'
import { type ClaimState, deliveryId, LEASE_MS, type OpenDelivery, stateOfClaim } from '../delivery.ts'

const RETENTION_SECONDS = 30 * 24 * 60 * 60

type ClaimOptions = {
  nowMs: number
  /**
   * Whether the sweep finds the claim by an index if its function dies. Otherwise its message ends it, which
   * stays in the queue until then. The index costs two writes.
   */
  isIndexed: boolean
}

/** Returns false if the delivery was claimed before. The sweep ends it if its function dies. */
export async function claimDelivery(
  table: Table,
  delivery: OpenDelivery,
  event: EventMessage,
  nowMs: number,
): Promise<boolean> {
  return (await claim(table, delivery, event, { nowMs, isIndexed: true })) === 'claimed'
}

/** Returns 'claimed', or the state of the earlier claim. */
export async function claim(
  table: Table,
  delivery: OpenDelivery,
  event: EventMessage,
  { nowMs, isIndexed }: ClaimOptions,
): Promise<'claimed' | ClaimState> {
  const claimId = randomUUID()
  const Item = {
    ...deliveryKey(delivery.webhook_id, delivery.event_id),
    ...delivery,
    event: event.event,
    occurred_at: event.occurred_at,
    request_id: event.request_id,
    gateway_request_id: event.gateway_request_id,
    attempted_ms: nowMs,
    status: 'sending',
    claim: claimId,
    ...(isIndexed && openEntry(delivery, nowMs)),
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
    return 'claimed'
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // The existing claim may be this one, if only the table's answer was lost.
    return error.item?.claim === claimId ? 'claimed' : stateOfClaim(error.item ?? {}, nowMs)
  }
}

function openEntry(delivery: OpenDelivery, nowMs: number) {
  const shard = createHash('md5').update(deliveryId(delivery)).digest().readUInt16BE() % OPEN_SHARDS
  return { [OPEN_INDEX.pk]: openPartition(shard), [OPEN_INDEX.sk]: sortable(nowMs + LEASE_MS) }
}
