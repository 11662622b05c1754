// The items that must exist with a record (list entries, locks, rows), and how they are compared.
import * as z from 'zod/mini'
import type { ListEntry } from '../../../shared/lists/counted-list.ts'
import { entryKey, kindOf, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Dependent, Expectation, RecordType } from '../record-type.ts'
import type { RemovedLists } from './removed-lists.ts'

/** `listEntry` is set for an entry of a list. `compared` undefined: the whole item. */
export type ExpectedItem = Dependent & { listEntry?: ListEntry; compared: string[] | undefined }

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
  { comparedIn }: RecordType,
  { listEntries, dependents }: Expectation,
  removed: RemovedLists,
): ExpectedItems {
  const entries = listEntries
    .filter(({ list }) => !removed.has(list.name))
    .map((entry): Dependent & { listEntry: ListEntry } => ({ listEntry: entry, item: itemOf(entry) }))
  return new Map(
    [...entries, ...dependents].map(expected => [
      keyText(expected.item),
      { ...expected, compared: comparedIn(expected.item) },
    ]),
  )
}

function itemOf({ list, order, item }: ListEntry): Item {
  return { ...entryKey(list.name, order), item }
}

export function matches({ item, compared }: ExpectedItem, found: Item | undefined): boolean {
  if (found === undefined) return false
  const expected = contentOf(item, compared)
  return canonical(knownMembers(contentOf(found, compared), expected)) === canonical(expected)
}

/** Without members of newer versions, which this one keeps and does not compare. */
function knownMembers(found: unknown, expected: unknown): unknown {
  if (!isMap(found) || !isMap(expected)) return found
  return Object.fromEntries(
    Object.keys(expected).map(name => [name, knownMembers(found[name], expected[name])]),
  )
}

function isMap(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  )
}

/** The compared attributes of an item. */
export function contentOf(item: Item, compared: string[] | undefined): Record<string, unknown> {
  return compared ? Object.fromEntries(compared.map(name => [name, item[name]])) : item
}

/** The same text for equal values. Members without a value are left out, because they are not stored. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Uint8Array) return `base64 ${Buffer.from(value).toString('base64')}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .sort()
    .join()}}`
}
