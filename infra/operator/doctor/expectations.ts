// What one pass over the table keeps: items that a record expects and that were not found yet, and items that
// were found and that no record expected yet. What is left at the end may be wrong. Bodies are not kept.
import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import type { ListEntry } from '../../../shared/lists/counted-list.ts'
import { entryKey, type Item, type Key, kindOf, nameIn, orderIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Dependent, Expectation, RecordType } from '../record-type.ts'
import { RECORD_TYPES } from '../record-types.ts'

export type Problem = {
  /** The list or the record that has the problem: `post 7`. */
  subject: string
  /** The rest of the sentence. */
  message: string
  key?: Key
  /** Numbers that must be equal and are not. */
  expected?: unknown
  found?: unknown
  /** Members of an item that must be equal and are not. */
  different?: { [member: string]: { expected: unknown; found: unknown } }
  isRepaired: boolean
  /** Not an error: the service has this work in a queue and will do it. */
  isQueued?: boolean
}

export function lineOf({ subject, message, isRepaired }: Problem): string {
  return `${subject}: ${message}${isRepaired ? ' Repaired.' : ''}`
}

/** `listEntry` is set for an entry of a list. `compared` undefined: the whole item. */
export type ExpectedItem = Dependent & { listEntry?: ListEntry; compared: string[] | undefined }

/** A record that may have a problem, and the unexpected items that name it as their owner, by key text. */
export type Suspect = { type: RecordType; key: Key; unexpected: Map<string, Key> }

/** An item that only its record, or only the scan of the table, has named. */
type Half = { isFound: boolean; type: RecordType; record: Key; digest: string }

const TYPES_BY_KIND = Map.groupBy(
  RECORD_TYPES.flatMap(type => type.kinds.map(kind => ({ kind, type }))),
  ({ kind }) => kind,
)
const TYPES_WITH_LISTS = RECORD_TYPES.filter(({ lists }) => lists.length > 0)

function typesOf({ pk }: Item): RecordType[] {
  const kind = kindOf(pk)
  if (kind === ('LIST' satisfies Kind)) return TYPES_WITH_LISTS
  return [...new Set(TYPES_BY_KIND.get(kind)?.map(({ type }) => type))]
}

export type Expectations = ReturnType<typeof openExpectations>

export function openExpectations() {
  /** By the text of the item's key. */
  const halves = new Map<string, Half>()
  const suspects = new Map<string, Suspect>()
  /** Records that were read, and optional items of records that were not, by the record's key. */
  const read = new Set<string>()
  const optional = new Map<string, Suspect>()
  /** Lists that were named. Those whose root is a record, and has not been read, were deleted with it. */
  const lists = new Set<string>()
  const roots = new Set<string>()
  const unreadable: Problem[] = []

  const pair = (text: string, half: Half): void => {
    const other = halves.get(text)
    if (!other) {
      halves.set(text, half)
    } else if (other.isFound === half.isFound) {
      // Two records expect the same item.
      for (const { type, record } of [other, half]) suspect(suspects, type, record)
    } else {
      halves.delete(text)
      if (other.digest === half.digest && keyText(other.record) === keyText(half.record)) return
      for (const one of [other, half]) suspectHalf(suspects, text, one)
    }
  }

  const addRecord = (type: RecordType, item: Item): void => {
    const record = keyOf(item)
    read.add(keyText(record))
    optional.delete(keyText(record))
    const expectation = expectationOf(type, item)
    if (!expectation) {
      unreadable.push({ subject: type.labelOf(record), message: 'cannot be read.', isRepaired: false })
      return
    }
    if (expectation.rootOf) {
      lists.add(expectation.rootOf.name)
      roots.add(expectation.rootOf.name)
    }
    for (const { item, compared } of expectedItemsOf(type, expectation)) {
      pair(keyText(item), { isFound: false, type, record, digest: digestOf(item, compared) })
    }
  }

  const addDependent = (type: RecordType, record: Key, item: Item): void => {
    if (!type.isOptional(item)) {
      const digest = digestOf(item, type.comparedIn(item))
      pair(keyText(item), { isFound: true, type, record, digest })
    } else if (!read.has(keyText(record))) {
      suspect(optional, type, record, keyOf(item))
    }
  }

  const add = (item: Item): void => {
    if (kindOf(item.pk) === ('LIST' satisfies Kind)) lists.add(nameIn(item.pk))
    for (const type of typesOf(item)) {
      if (type.isRecord(item)) addRecord(type, item)
      const owner = type.ownerOf(item)
      if (owner) addDependent(type, owner, item)
    }
  }

  /** Entries of a list that was deleted with its record are left to the check of the list. */
  const isInDeletedList = (item: Key, type: RecordType): boolean => {
    const list = isEntry(item) ? type.listOf(nameIn(item.pk)) : undefined
    return list !== undefined && !list.fixed && !roots.has(list.name)
  }

  /** If two records claim an item, it is reported and repaired for the one that is missing it. */
  const allSuspects = (): Suspect[] => {
    for (const [text, half] of halves) {
      if (!isInDeletedList(keyIn(text), half.type)) suspectHalf(suspects, text, half)
    }
    for (const { type, key, unexpected } of optional.values()) {
      for (const item of unexpected.values()) suspect(suspects, type, key, item)
    }
    return [...suspects.values()].sort((a, b) => a.unexpected.size - b.unexpected.size)
  }
  return { add, allSuspects, lists, unreadable, countRecords: () => read.size }
}

function suspectHalf(suspects: Map<string, Suspect>, text: string, { isFound, type, record }: Half): void {
  suspect(suspects, type, record, ...(isFound ? [keyIn(text)] : []))
}

function suspect(suspects: Map<string, Suspect>, type: RecordType, key: Key, ...items: Key[]): void {
  const known = suspects.get(keyText(key)) ?? { type, key, unexpected: new Map() }
  for (const item of items) known.unexpected.set(keyText(item), item)
  suspects.set(keyText(key), known)
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

export function expectedItemsOf(
  { comparedIn }: RecordType,
  { listEntries, dependents }: Expectation,
): ExpectedItem[] {
  const entries = listEntries.map((listEntry): Dependent & { listEntry: ListEntry } => {
    const { list, order, item } = listEntry
    return { listEntry, item: { ...entryKey(list.name, order), item } }
  })
  return [...entries, ...dependents].map(expected => ({ ...expected, compared: comparedIn(expected.item) }))
}

export function keyText({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}

function keyIn(text: string): Key {
  const [pk, sk] = JSON.parse(text)
  return { pk, sk }
}

export function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

export function isEntry({ pk, sk }: Key): boolean {
  return kindOf(pk) === 'LIST' && orderIn(sk) !== undefined
}

function digestOf(item: Item, compared: string[] | undefined): string {
  return hash('sha1', canonical(contentOf(item, compared)), 'base64').slice(0, 12)
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
