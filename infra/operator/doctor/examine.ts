// A closer look at one record while the service runs: what hangs on it is held against the record as it is then.
import { isDeepStrictEqual } from 'node:util'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Expectation, RecordType } from '../record-type.ts'
import { type Fault, findingOf, isMendable, type Rival } from './fault.ts'
import type { Finding } from './finding.ts'
import {
  expectationOf,
  expectedItemsOf,
  isEntry,
  isInRemovedList,
  keyOf,
  matches,
  removedListsAmong,
  textOf,
} from './record.ts'
import { mend } from './repair.ts'
import { unlessResting } from './rest.ts'

/** A record at which something seemed wrong, and what was seen hanging on it, by the text of its key. */
export type Suspect = { slice: RecordType; key: Key; seen: Map<string, Key> }

/**
 * The record is read before and after what hangs on it: where it stayed the same, all of it was there at one moment,
 * since the service writes both in one transaction.
 */
export function examine(table: Table, suspect: Suspect, isMending: boolean): Promise<Finding[]> {
  return unlessResting(table, marksOf(suspect), () => lookClosely(table, suspect, isMending))
}

function marksOf({ slice, seen }: Suspect): Key[] {
  return [...seen.values()].flatMap(key => (isEntry(key) ? (slice.busyMarkerOf(nameIn(key.pk)) ?? []) : []))
}

function lookClosely(table: Table, suspect: Suspect, isMending: boolean): Promise<Finding[]> {
  return retryOnConflict(async () => {
    const { slice, key } = suspect
    const record = await findRaw(table, key)
    const faults = await faultsOf(table, suspect, record)
    if (faults.length === 0) return []
    if (!isSame(slice, record, await findRaw(table, key))) throw new ConditionFailed([CONFLICT])
    const mendable = isMending ? faults.filter(isMendable) : []
    if (mendable.length > 0) await mend(table, { slice, key, record }, mendable)
    return faults.map(fault => findingOf({ slice, key, record }, fault, mendable.includes(fault)))
  })
}

async function findRaw(table: Table, key: Key): Promise<Item | undefined> {
  return (await table.findMany([key]))[0]
}

function isSame(
  { versionAttributes }: RecordType,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  return (
    (before === undefined) === (after === undefined) &&
    versionAttributes.every(name => isDeepStrictEqual(before?.[name], after?.[name]))
  )
}

async function faultsOf(table: Table, suspect: Suspect, record: Item | undefined): Promise<Fault[]> {
  const { slice, seen } = suspect
  const current = await wantedNow(table, slice, record, [...seen.values()])
  if (!current) return []
  const { wanted, gone } = current
  const keys = new Map([...seen, ...[...wanted].map(([text, { item }]) => [text, keyOf(item)] as const)])
  const found = new Map((await table.findMany([...keys.values()])).map(item => [textOf(item), item]))
  const faults = [...keys].map(async ([text, key]): Promise<Fault[]> => {
    const [must, is] = [wanted.get(text), found.get(text)]
    if (must ? matches(must, is) : !is || isInRemovedList(key, gone)) return []
    const rival = is && (await rivalOf(table, suspect, is))
    // What hangs on another by now is that one's matter.
    return must || !rival ? [{ key, wanted: must, found: is, rival }] : []
  })
  return (await Promise.all(faults)).flat()
}

/** Nothing is wanted without a record. Undefined where it cannot be read. */
async function wantedNow(table: Table, slice: RecordType, record: Item | undefined, seen: Key[]) {
  const standing = record ? expectationOf(slice, record) : NOTHING
  if (!standing) return undefined
  const seenLists = seen.filter(isEntry).flatMap(({ pk }) => slice.listOf(nameIn(pk)) ?? [])
  const gone = await removedListsAmong(table, [...standing.listEntries.map(({ list }) => list), ...seenLists])
  return { wanted: expectedItemsOf(standing, gone), gone }
}

const NOTHING: Expectation = { listEntries: [], dependents: [], rootOf: undefined }

async function rivalOf(table: Table, { slice, key }: Suspect, item: Item): Promise<Rival | undefined> {
  const owner = slice.ownerOf(item)
  if (!owner || textOf(owner) === textOf(key)) return undefined
  const record = await findRaw(table, owner)
  const current = await wantedNow(table, slice, record, [])
  return {
    key: owner,
    record,
    label: slice.labelOf(owner),
    isRightful: current?.wanted.has(textOf(item)) ?? false,
  }
}
