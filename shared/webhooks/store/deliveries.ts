// Reads the records of deliveries that were claimed.
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import type { Item, Key } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import { type AttemptRef, attemptKey } from '../delivery.ts'

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
