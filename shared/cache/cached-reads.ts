// Reads of a table that are remembered: each item and each span is read once.
import type * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import type { Item } from '../table/design.ts'
import { approximateBytes, openByteCache } from './byte-cache.ts'

/**
 * The table, with reads that are answered from memory where possible. Results are shared: callers must not
 * change them. Eventual reads are never remembered, because they may be old already.
 */
export function withCachedReads(table: Table, maxBytes: number): Table {
  const cache = openByteCache<{ value: unknown }>(maxBytes, approximateBytes)
  const nameOf = nameSchemas()

  /** `isLatest`: reads again, and replaces what is remembered. */
  const readThrough = (isLatest: boolean): Table => {
    const remembered = async <T>(name: string, read: () => Promise<T>): Promise<T> => {
      const entry = isLatest ? undefined : cache.get(name)
      // The name contains the schema, so the value under it was parsed as T.
      if (entry) return entry.value as T
      const value = await read()
      cache.set(name, { value })
      return value
    }

    const find: Table['find'] = (key, schema) =>
      remembered(`${nameOf(schema)} ${key.pk} ${key.sk}`, () => table.find(key, schema))

    const findMany: Table['findMany'] = async (keys, options) => {
      if (options?.isEventual) return await table.findMany(keys, options)
      const named = keys.map(key => {
        const name = `item ${key.pk} ${key.sk}`
        return { key, name, entry: isLatest ? undefined : cache.get(name) }
      })
      const unknown = named.filter(({ entry }) => !entry)
      const read = await table.findMany(unknown.map(({ key }) => key))
      const found = new Map(read.map(item => [`item ${item.pk} ${item.sk}`, item]))
      for (const { name } of unknown) cache.set(name, { value: found.get(name) })
      const known = named.map(({ entry }) => entry?.value)
      return [...read, ...known.filter((item): item is Item => item !== undefined)]
    }

    const query: Table['query'] = async (span, schema) => {
      const name = `${nameOf(schema)} ${JSON.stringify(span)}`
      return [...(await remembered(name, () => table.query(span, schema)))]
    }

    return { ...table, find, findMany, query }
  }
  return { ...readThrough(false), latest: readThrough(true) }
}

/** Gives each schema a name: the same item may be read through several. */
function nameSchemas(): (schema: z.ZodMiniType) => string {
  const names = new WeakMap<z.ZodMiniType, string>()
  let count = 0
  return schema => {
    const name = names.get(schema) ?? `schema-${count++}`
    names.set(schema, name)
    return name
  }
}
