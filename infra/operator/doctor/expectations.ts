// What one pass over the table keeps: a sum for each item that a record expects or that was found. What is
// left at the end may be wrong, or was written during the pass. Bodies are not kept.
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
  /** What must be equal and is not. */
  expected?: unknown
  found?: unknown
  isRepaired: boolean
  /** Not an error: the service has this work in a queue and will do it. */
  isQueued?: boolean
}

export function lineOf({ subject, message, isRepaired }: Problem): string {
  return `${subject}: ${message}${isRepaired ? ' Repaired.' : ''}`
}

/**
 * A sum for each subject. What must be there is added, what is there is subtracted: a subject that is as it
 * must be has the sum 0, and takes no memory.
 */
export function openBalance<Subject>(start: Iterable<[Subject, number]> = []) {
  const sums = new Map(start)
  const add = (subject: Subject, value: number): void => {
    const sum = (sums.get(subject) ?? 0) + value
    if (sum === 0) {
      sums.delete(subject)
    } else {
      sums.set(subject, sum)
    }
  }
  return { add, sums }
}

/** `listEntry` is set for an entry of a list. `compared` undefined: the whole item. */
export type ExpectedItem = Dependent & { listEntry?: ListEntry; compared: string[] | undefined }

/** A record that may have a problem, and items that name it as their owner, which it may not expect. */
export type Suspect = { type: RecordType; key: Key; found: Key[] }

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
  const items = openBalance<string>()
  const suspects = new Map<string, Suspect>()
  /** Records that were read, and optional items of records that were not, by the record's key. */
  const read = new Set<string>()
  const optional = new Map<string, Suspect>()
  /** The names of all lists. */
  const lists = new Set<string>()
  const problems: Problem[] = []

  const addRecord = (type: RecordType, item: Item): void => {
    const record = keyOf(item)
    read.add(keyText(record))
    optional.delete(keyText(record))
    const expectation = expectationOf(type, item)
    const problem = expectation ? expectation.problem : 'cannot be read.'
    if (problem) problems.push({ subject: type.labelOf(record), message: problem, isRepaired: false })
    if (!expectation) return
    if (expectation.rootOf) lists.add(expectation.rootOf.name)
    if (expectation.findMore) suspect(suspects, type, record)
    for (const { item, compared } of expectedItemsOf(type, expectation)) {
      items.add(subjectOf(type, record, item), digestOf(item, compared))
    }
  }

  const addDependent = (type: RecordType, record: Key, item: Item): void => {
    if (!type.isOptional(item)) {
      items.add(subjectOf(type, record, item), -digestOf(item, type.comparedIn(item)))
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

  /** An item that two records claim is reported for the one that is missing it: it comes first. */
  const allSuspects = (): Suspect[] => {
    for (const [subject, sum] of items.sums) {
      const [n, record, item] = JSON.parse(subject)
      const type = RECORD_TYPES[n]
      if (type) suspect(suspects, type, keyIn(record), ...(sum < 0 ? [keyIn(item)] : []))
    }
    for (const { type, key, found } of optional.values()) suspect(suspects, type, key, ...found)
    return [...suspects.values()].sort((a, b) => a.found.length - b.found.length)
  }
  return { add, allSuspects, lists, problems, countRecords: () => read.size }
}

function subjectOf(type: RecordType, record: Key, item: Key): string {
  return JSON.stringify([RECORD_TYPES.indexOf(type), [record.pk, record.sk], [item.pk, item.sk]])
}

function suspect(suspects: Map<string, Suspect>, type: RecordType, key: Key, ...found: Key[]): void {
  const known = suspects.get(keyText(key)) ?? { type, key, found: [] }
  for (const item of found) known.found.push(item)
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
  { listEntries, dependents }: Pick<Expectation, 'listEntries' | 'dependents'>,
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

function keyIn([pk = '', sk = '']: string[]): Key {
  return { pk, sk }
}

export function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

export function isEntry({ pk, sk }: Key): boolean {
  return kindOf(pk) === 'LIST' && orderIn(sk) !== undefined
}

/** Of the compared attributes. */
export function digestOf(item: Item, compared: string[] | undefined): number {
  return hash('sha1', canonical(contentOf(item, compared)), 'buffer').readUIntBE(0, 6)
}

export function matches({ item, compared }: ExpectedItem, found: Item | undefined): boolean {
  return found !== undefined && differencesIn(contentOf(item, compared), found).length === 0
}

/** The members that differ. Those of newer versions, which this one keeps, are not compared. */
export function differencesIn(expected: Record<string, unknown>, found: Record<string, unknown>): string[] {
  return Object.keys(expected).filter(name => {
    const [right, is] = [expected[name], found[name]]
    if (isMap(right) && isMap(is)) return differencesIn(right, is).length > 0
    // A missing member is not null: lists are read with the members that this version writes.
    return (right === undefined) !== (is === undefined) || canonical(right) !== canonical(is)
  })
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
