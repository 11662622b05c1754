// Lists that were deleted together with the record that is their root, such as those of deleted categories.
import type { List } from '../../../shared/lists/counted-list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { nameIn } from '../../../shared/table/design.ts'
import type { Key } from '../../../shared/table/key.ts'
import { isEntry, keyText } from './expected-items.ts'

/** By name. The check of the list reports what is left of it, and the checks of records ignore it. */
export type RemovedLists = Set<string>

export function isInRemovedList(key: Key, removed: RemovedLists): boolean {
  return isEntry(key) && removed.has(nameIn(key.pk))
}

/** Those of the lists that were deleted together with the record that is their root. */
export async function removedListsAmong(table: Table, lists: List[]): Promise<RemovedLists> {
  const removable = lists.filter(({ fixed }) => !fixed)
  const roots = new Map(removable.map(({ root }) => [keyText(root), root]))
  const existing = new Set((await table.findMany([...roots.values()])).map(keyText))
  return new Set(removable.filter(({ root }) => !existing.has(keyText(root))).map(({ name }) => name))
}

/** Remembers each answer, so that a scan leaves out an entry where it is expected and where it is found. */
export function openRemovedLists(table: Table): (lists: List[]) => Promise<RemovedLists> {
  const known = new Set<string>()
  const removed: RemovedLists = new Set()
  return async lists => {
    const unknown = lists.filter(({ fixed, name }) => !fixed && !known.has(name))
    for (const name of await removedListsAmong(table, unknown)) removed.add(name)
    for (const { name } of unknown) known.add(name)
    return removed
  }
}
