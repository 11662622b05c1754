// The items that must exist with a record (list entries, locks, rows), and how they are compared.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { List, ListEntry } from '../../../shared/lists/counted-list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { entryKey, kindOf, nameIn, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Dependent, Expectation, RecordType } from '../record-type.ts'

/** `listEntry` is set for an entry of a list. */
export type ExpectedItem = Dependent & { listEntry?: ListEntry }

/** By the text of the item's key. */
export type ExpectedItems = Map<string, ExpectedItem>

export function keyText({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}

export function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

export function isEntry({ pk, sk }: Key): boolean {
  return kindOf(pk) === 'LIST' && orderIn(sk) !== undefined
}

/** Undefined for a record that cannot be read. */
export function expectationOf(type: RecordType, record: Item): Expectation | undefined {
  try {
    return type.read(record)
  } catch (error) {
    if (error instanceof z.core.$ZodError) return undefined
    throw error
  }
}

/** No entry is expected in a removed list. */
export function expectedItemsOf(
  { listEntries, dependents }: Expectation,
  removed: RemovedLists,
): ExpectedItems {
  const entries = listEntries
    .filter(({ list }) => !removed.has(list.name))
    .map((entry): ExpectedItem => ({ listEntry: entry, check: 'whole', item: itemOf(entry) }))
  return new Map([...entries, ...dependents].map(expected => [keyText(expected.item), expected]))
}

function itemOf({ list, order, item }: ListEntry): Item {
  return { ...entryKey(list.name, order), item }
}

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

export function matches({ item, check }: ExpectedItem, found: Item | undefined): boolean {
  if (!found) return false
  if (check === 'presence') return true
  const compared =
    check === 'whole' ? found : Object.fromEntries(Object.keys(item).map(name => [name, found[name]]))
  return isDeepStrictEqual(compared, defined(item))
}

/** As the table returns it: members without a value are not stored. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, defined(member)]))
}
