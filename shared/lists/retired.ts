// Lists that only former versions read. Without a root they are left out of each change.
import type { Table } from '../table/client.ts'
import { perTable } from '../table/per-table.ts'
import type { List } from './list.ts'

/** Names of those that had no root. They never get one again, as this version creates none. */
const absentIn = perTable(() => new Set<string>())

export function withoutAbsent<T extends { list: List }>(table: Table, entries: T[]): T[] {
  const absent = absentIn(table)
  return absent.size > 0 ? entries.filter(({ list }) => !absent.has(list.name)) : entries
}

/** Takes note of retired lists whose roots were read and do not exist. Returns whether there are any. */
export function noteAbsent(table: Table, lists: List[], roots: ReadonlyMap<string, unknown>): boolean {
  const missing = lists.filter(({ retired, name }) => retired && !roots.has(name))
  for (const { name } of missing) absentIn(table).add(name)
  return missing.length > 0
}
