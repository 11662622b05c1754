// Lists that only former versions read. Without a root they are left out of each change.
import { currentMs } from '../http/time.ts'
import type { Table } from '../table/client.ts'
import { perTable } from '../table/per-table.ts'
import type { List } from './list.ts'

/** A former version that still runs creates what is absent with its first change. */
export const ABSENT_FOR_MS = 60_000

/** By name, when a list had no root. */
const absentIn = perTable(() => new Map<string, number>())

export function withoutAbsent<T extends { list: List }>(table: Table, entries: T[]): T[] {
  const absent = absentIn(table)
  const since = currentMs() - ABSENT_FOR_MS
  return entries.filter(({ list }) => !list.retired || (absent.get(list.name) ?? 0) <= since)
}

/** Takes note of retired lists whose roots were read and do not exist. Returns whether there are any. */
export function noteAbsent(table: Table, lists: List[], roots: ReadonlyMap<string, unknown>): boolean {
  const missing = lists.filter(({ retired, name }) => retired && !roots.has(name))
  for (const { name } of missing) absentIn(table).set(name, currentMs())
  return missing.length > 0
}
