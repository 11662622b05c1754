// What must be there with a record: its entries in lists, its locks, its profile, its rows.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { List, ListEntry } from '../../../shared/lists/counted-list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { entryKey, kindOf, nameIn, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Dependent, Expectation, RecordType } from '../record-type.ts'

/** Something that must be there; an entry knows its place. */
export type ExpectedItem = Dependent & { listEntry?: ListEntry }

/** By the text of its key. */
export type ExpectedItems = Map<string, ExpectedItem>

export function textOf({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}

export function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

export function isEntry({ pk, sk }: Key): boolean {
  return kindOf(pk) === 'LIST' && orderIn(sk) !== undefined
}

/** Undefined where it cannot be read. */
export function expectationOf(slice: RecordType, record: Item): Expectation | undefined {
  try {
    return slice.read(record)
  } catch (error) {
    if (error instanceof z.core.$ZodError) return undefined
    throw error
  }
}

/** A list that is gone with its own record asks for no entries. */
export function expectedItemsOf({ listEntries, dependents }: Expectation, gone: RemovedLists): ExpectedItems {
  const entries = listEntries
    .filter(({ list }) => !gone.has(list.name))
    .map((entry): ExpectedItem => ({ listEntry: entry, check: 'whole', item: entryOf(entry) }))
  return new Map([...entries, ...dependents].map(wanted => [textOf(wanted.item), wanted]))
}

function entryOf({ list, order, item }: ListEntry): Item {
  return { ...entryKey(list.name, order), item }
}

/** By their names. What is left of them is the list's own matter, and no record's. */
export type RemovedLists = Set<string>

export function isInRemovedList(key: Key, gone: RemovedLists): boolean {
  return isEntry(key) && gone.has(nameIn(key.pk))
}

/** Which of the lists that end with a record have ended. */
export async function removedListsAmong(table: Table, lists: List[]): Promise<RemovedLists> {
  const ending = lists.filter(({ fixed }) => !fixed)
  const roots = new Map(ending.map(({ root }) => [textOf(root), root]))
  const found = new Set((await table.findMany([...roots.values()])).map(textOf))
  return new Set(ending.filter(({ root }) => !found.has(textOf(root))).map(({ name }) => name))
}

/** Whether what was found will do. */
export function matches({ item, check }: ExpectedItem, found: Item | undefined): boolean {
  if (!found) return false
  if (check === 'presence') return true
  const looked =
    check === 'whole' ? found : Object.fromEntries(Object.keys(item).map(name => [name, found[name]]))
  return isDeepStrictEqual(looked, defined(item))
}

/** As it reads back: members without a value are not kept. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, defined(member)]))
}
