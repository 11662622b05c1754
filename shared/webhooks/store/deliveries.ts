// Reads deliveries: claimed ones by their key, and interrupted ones by the index of open deliveries.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { OPEN_INDEX, OPEN_SHARDS, openPartition, sortable } from '../../table/design.ts'
import type { Item, Key } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import { type AttemptRef, attemptKey, OpenDelivery } from '../delivery.ts'

const MAX_PER_SHARD = 100
const IndexEntry = z.object({ pk: z.string(), sk: z.string() })

/** Deliveries with an expired lease, whose function died. The index lags a little and has keys only. */
export async function listInterruptedDeliveries(table: Table, nowMs: number): Promise<OpenDelivery[]> {
  const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) => openPartition(shard))
  const span = { to: sortable(nowMs), limit: MAX_PER_SHARD, index: OPEN_INDEX }
  const keys = (await Promise.all(shards.map(pk => table.query({ pk, ...span }, IndexEntry)))).flat()
  return (await table.findMany(keys)).map(item => OpenDelivery.parse(item))
}

const claimsOf = perTable(table =>
  combine(async (deliveries: AttemptRef[]): Promise<(Item | undefined)[]> => {
    const keys = deliveries.map(attemptKey)
    const items = new Map((await table.findMany(distinct(keys))).map(item => [idOf(item), item]))
    return keys.map(key => items.get(idOf(key)))
  }),
)

/** The record of a delivery. Those that are asked for together share a read. */
export function findClaim(table: Table, delivery: AttemptRef): Promise<Item | undefined> {
  return claimsOf(table)(delivery)
}

function idOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`
}

function distinct(keys: Key[]): Key[] {
  return [...new Map(keys.map(key => [idOf(key), key])).values()]
}
