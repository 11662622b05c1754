// Reads deliveries: claimed ones by their key, and interrupted ones by the index of open deliveries.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { OPEN_INDEX, OPEN_SHARDS, openPartition, sortable } from '../../table/design.ts'
import { type AttemptRef, attemptKey, OpenDelivery } from '../delivery.ts'

const MAX_PER_SHARD = 100
const IndexEntry = z.object({ pk: z.string(), sk: z.string() })
const ClaimItem = z.record(z.string(), z.unknown())

/** Deliveries with an expired lease, whose function died. The index lags a little and has keys only. */
export async function listInterruptedDeliveries(table: Table, nowMs: number): Promise<OpenDelivery[]> {
  const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) => openPartition(shard))
  const span = { to: sortable(nowMs), limit: MAX_PER_SHARD, index: OPEN_INDEX }
  const keys = (await Promise.all(shards.map(pk => table.query({ pk, ...span }, IndexEntry)))).flat()
  return (await table.findMany(keys)).map(item => OpenDelivery.parse(item))
}

/** The record of a delivery. */
export function findClaim(table: Table, delivery: AttemptRef) {
  return table.find(attemptKey(delivery), ClaimItem)
}
