// A table whose reads of the same turn are one call: each call costs CPU time, and the slowest is waited for.
import type * as z from 'zod/mini'
import type { Table } from './client.ts'
import { combine } from './combine.ts'
import type { Item, Key } from './key.ts'

/** For the parallel reads of one step. Strongly consistent reads by key go together, all else as before. */
export function readTogether(table: Table): Table {
  const readKeys = combine(async (requests: Key[][]): Promise<Item[][]> => {
    const keys = new Map(requests.flat().map(key => [textOf(key), key]))
    const found = await table.findMany([...keys.values()])
    const items = new Map(found.map(item => [textOf(item), item]))
    return requests.map(request => request.flatMap(key => items.get(textOf(key)) ?? []))
  })
  const find = async <T>(key: Key, schema: z.ZodMiniType<T>): Promise<T | undefined> => {
    const [item] = await readKeys([key])
    return item && schema.parse(item)
  }
  const findMany = async (keys: Key[], options: { isEventual?: boolean } = {}): Promise<Item[]> => {
    if (keys.length === 0) return []
    return options.isEventual ? await table.findMany(keys, options) : await readKeys(keys)
  }
  return { ...table, find, findMany, origin: table.origin ?? table }
}

function textOf({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}
