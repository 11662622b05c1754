// The check of one suspected record while the service runs: what depends on it is compared with the record.
import { isDeepStrictEqual } from 'node:util'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Expectation, RecordType } from '../record-type.ts'
import { expectationOf, expectedItemsOf, isEntry, keyOf, keyText, matches } from './expected-items.ts'
import { isRepairable, type Mismatch, type OtherOwner, problemOf } from './mismatch.ts'
import type { Problem } from './problem.ts'
import { isInRemovedList, removedListsAmong } from './removed-lists.ts'
import { repairRecord } from './repair.ts'

/** A record that may have a problem, and the unexpected items that name it as their owner, by key text. */
export type Suspect = { type: RecordType; key: Key; unexpected: Map<string, Key> }

/**
 * Reads the record before and after its dependents. The service writes all of them in one transaction, so
 * if the record did not change, everything that was read existed at one moment.
 */
export function checkRecord(table: Table, suspect: Suspect, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const { type, key } = suspect
    const record = await findRaw(table, key)
    const mismatches = await mismatchesOf(table, suspect, record)
    if (mismatches.length === 0) return []
    if (!isUnchanged(type, record, await findRaw(table, key))) throw new ConditionFailed([CONFLICT])
    const checked = { type, key, record }
    const repairable = repair ? mismatches.filter(isRepairable) : []
    if (repairable.length > 0) await repairRecord(table, checked, repairable)
    return mismatches.map(mismatch => problemOf(checked, mismatch, repairable.includes(mismatch)))
  })
}

async function findRaw(table: Table, key: Key): Promise<Item | undefined> {
  return (await table.findMany([key]))[0]
}

function isUnchanged(
  { versionAttributes }: RecordType,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  return (
    (before === undefined) === (after === undefined) &&
    versionAttributes.every(name => isDeepStrictEqual(before?.[name], after?.[name]))
  )
}

async function mismatchesOf(table: Table, suspect: Suspect, record: Item | undefined): Promise<Mismatch[]> {
  const { type, unexpected } = suspect
  const expectation = await expectedNow(table, type, record, [...unexpected.values()])
  if (!expectation) return []
  const { items, removed } = expectation
  const keys = new Map([...unexpected, ...[...items].map(([text, { item }]) => [text, keyOf(item)] as const)])
  const stored = new Map((await table.findMany([...keys.values()])).map(item => [keyText(item), item]))
  const mismatches = [...keys].map(async ([text, key]): Promise<Mismatch[]> => {
    const [expected, found] = [items.get(text), stored.get(text)]
    if (expected ? matches(expected, found) : !found || isInRemovedList(key, removed)) return []
    const otherOwner = found && (await otherOwnerOf(table, suspect, found))
    // An unexpected item that has another owner by now is checked with that one.
    return expected || !otherOwner ? [{ key, expected, found, otherOwner }] : []
  })
  return (await Promise.all(mismatches)).flat()
}

const NOTHING: Expectation = { listEntries: [], dependents: [], rootOf: undefined }

/** Without a record nothing is expected. Undefined if the record cannot be read. */
async function expectedNow(table: Table, type: RecordType, record: Item | undefined, unexpected: Key[]) {
  const expectation = record ? expectationOf(type, record) : NOTHING
  if (!expectation) return undefined
  const lists = unexpected.filter(isEntry).flatMap(({ pk }) => type.listOf(nameIn(pk)) ?? [])
  const removed = await removedListsAmong(table, [
    ...expectation.listEntries.map(({ list }) => list),
    ...lists,
  ])
  return { items: expectedItemsOf(type, expectation, removed), removed }
}

async function otherOwnerOf(
  table: Table,
  { type, key }: Suspect,
  item: Item,
): Promise<OtherOwner | undefined> {
  const owner = type.ownerOf(item)
  if (!owner || keyText(owner) === keyText(key)) return undefined
  const record = await findRaw(table, owner)
  const expectation = await expectedNow(table, type, record, [])
  return {
    key: owner,
    record,
    label: type.labelOf(owner),
    expectsIt: expectation?.items.has(keyText(item)) ?? false,
  }
}
