// The check of one suspected record while the service runs: what depends on it is compared with the record,
// and repaired on condition that the record is still the one that was read.
import { isDeepStrictEqual } from 'node:util'
import { type ListEntry, writeWithLists } from '../../../shared/lists/counted-list.ts'
import {
  type Action,
  CONFLICT,
  ConditionFailed,
  exists,
  isNew,
  setMembers,
} from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import { type Item, type Key, nameIn, orderIn } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../command.ts'
import type { RecordType } from '../record-type.ts'
import {
  contentOf,
  differencesIn,
  type ExpectedItem,
  expectationOf,
  expectedItemsOf,
  isEntry,
  keyOf,
  keyText,
  matches,
  type Problem,
  type Suspect,
} from './expectations.ts'

/** A record as it was read; undefined where there is none. */
type ReadRecord = { type: RecordType; key: Key; record: Item | undefined }

/** An item that is missing, different or unexpected. */
type Mismatch = {
  key: Key
  expected: ExpectedItem | undefined
  found: Item | undefined
  /** Another record that the found item names as its owner, and whether the item is correct for that one. */
  otherOwner: (ReadRecord & { expectsIt: boolean }) | undefined
}

/**
 * Reads the record before and after its dependents. The service writes all of them in one transaction, so
 * if the record did not change, everything that was read existed at one moment.
 */
export function checkRecord(context: Context, suspect: Suspect, repair: boolean): Promise<Problem[]> {
  const { table } = context.target
  return retryOnConflict(async () => {
    const { type, key } = suspect
    const read = { type, key, record: await findRaw(table, key) }
    const mismatches = await mismatchesOf(table, suspect, read.record)
    if (mismatches.length === 0) return []
    if (!isUnchanged(read, await findRaw(table, key))) throw new ConditionFailed([CONFLICT])
    // Of a deleted record, the service may be removing the rest.
    const left = mismatches.filter(({ expected }) => !expected).map(({ key }) => key)
    if ((await table.findMany(left)).length < left.length) throw new ConditionFailed([CONFLICT])
    const repairable = repair ? mismatches.filter(isRepairable) : []
    await repairRecord(context, read, repairable)
    return mismatches.map(mismatch => ({
      subject: type.labelOf(key),
      message: messageOf(read, mismatch),
      key: mismatch.key,
      isRepaired: repairable.includes(mismatch),
    }))
  })
}

async function findRaw(table: Table, key: Key): Promise<Item | undefined> {
  return (await table.findMany([key]))[0]
}

function isUnchanged({ type, record }: ReadRecord, after: Item | undefined): boolean {
  return (
    (record === undefined) === (after === undefined) &&
    type.versionAttributes.every(name => isDeepStrictEqual(record?.[name], after?.[name]))
  )
}

async function mismatchesOf(table: Table, suspect: Suspect, record: Item | undefined): Promise<Mismatch[]> {
  const { type, found } = suspect
  const expected = await expectedNow(table, type, record)
  if (!expected) return []
  const all = [...found, ...[...expected.values()].map(({ item }) => keyOf(item))]
  const keys = new Map(all.map(key => [keyText(key), key]))
  const stored = new Map((await table.findMany([...keys.values()])).map(item => [keyText(item), item]))
  const mismatches = [...keys].map(async ([text, key]): Promise<Mismatch[]> => {
    const [own, found] = [expected.get(text), stored.get(text)]
    if (own ? matches(own, found) : !found || (record && type.isOptional(key))) return []
    if (!own && (await isInDeletedList(table, type, key))) return []
    const otherOwner = found && (await otherOwnerOf(table, suspect, found))
    // An unexpected item that has another owner by now is checked with that one.
    return own || !otherOwner ? [{ key, expected: own, found, otherOwner }] : []
  })
  return (await Promise.all(mismatches)).flat()
}

/** By key text. Without a record nothing is expected. Undefined if the record cannot be read. */
async function expectedNow(table: Table, type: RecordType, record: Item | undefined) {
  const expectation = record ? expectationOf(type, record) : undefined
  if (record && !expectation) return undefined
  const more = (await expectation?.findMore?.(table)) ?? []
  const { listEntries = [], dependents = [] } = expectation ?? {}
  const expected = new Map<string, ExpectedItem>()
  for (const item of expectedItemsOf(type, { listEntries, dependents: [...dependents, ...more] })) {
    if (!(await isInDeletedList(table, type, item.item))) expected.set(keyText(item.item), item)
  }
  return expected
}

/** The check of the list reports what is left of it. */
async function isInDeletedList(table: Table, type: RecordType, key: Key): Promise<boolean> {
  const list = isEntry(key) ? type.listOf(nameIn(key.pk)) : undefined
  return list !== undefined && !list.fixed && (await findRaw(table, list.root)) === undefined
}

async function otherOwnerOf(
  table: Table,
  { type, key }: Suspect,
  item: Item,
): Promise<Mismatch['otherOwner']> {
  const owner = type.ownerOf(item)
  if (!owner || keyText(owner) === keyText(key)) return undefined
  const record = await findRaw(table, owner)
  const expected = await expectedNow(table, type, record)
  return { type, key: owner, record, expectsIt: expected?.has(keyText(item)) ?? false }
}

function isRepairable({ expected, otherOwner }: Mismatch): boolean {
  return !expected?.isIrreplaceable && !otherOwner?.expectsIt
}

/** Names what differs, but shows nothing of what is stored. */
function messageOf({ type, record }: ReadRecord, { key, expected, found, otherOwner }: Mismatch): string {
  const name = type.nameOf(key)
  if (!expected) return record ? `has an unexpected ${name}.` : `does not exist, but its ${name} does.`
  if (otherOwner?.expectsIt) {
    return `its ${name} belongs to ${type.labelOf(otherOwner.key)}, which needs it as well. Change one of them.`
  }
  const lost = expected.isIrreplaceable ? ' It cannot be restored.' : ''
  if (!found) return `its ${name} is missing.${lost}`
  const different = isEntry(key)
    ? differencesIn(Object(expected.item.item), Object(found.item))
    : differencesIn(contentOf(expected.item, expected.compared), found)
  return `its ${name} is wrong in ${different.join(', ')}.${lost}`
}

/** A transaction holds 100 actions, and a list entry takes up to five. */
const MISMATCHES_AT_ONCE = 15

/** Writes list entries as the service does, so that counts stay exact. Throws ConditionFailed. */
async function repairRecord(context: Context, read: ReadRecord, mismatches: Mismatch[]): Promise<void> {
  const { table } = context.target
  const isRecord = ({ key, expected }: Mismatch) => !expected && read.type.removeOf(key)
  for (const batch of slices(
    mismatches.filter(mismatch => !isRecord(mismatch)),
    MISMATCHES_AT_ONCE,
  )) {
    const entries = batch.filter(({ key }) => isEntry(key))
    const lists = {
      before: entries.flatMap(mismatch => foundEntry(read.type, mismatch)),
      after: entries.flatMap(({ expected }) => expected?.listEntry ?? []),
    }
    const repairs = batch.filter(({ key }) => !isEntry(key)).flatMap(actionsFor)
    await writeWithLists(table, lists, listActions =>
      table.transact([ifUnchanged(read), ...repairs, ...listActions]),
    )
  }
  for (const { key, found } of mismatches.filter(isRecord)) {
    if (found) await read.type.removeOf(key)?.(context, found)
  }
}

function foundEntry({ listOf }: RecordType, { key, found }: Mismatch): ListEntry[] {
  const [list, order] = [listOf(nameIn(key.pk)), orderIn(key.sk)]
  return found && list && order !== undefined ? [{ list, order, item: Object(found.item) }] : []
}

function actionsFor({ key, expected, found, otherOwner }: Mismatch): Action[] {
  const guards = otherOwner ? [ifUnchanged(otherOwner)] : []
  if (!expected) return [{ Delete: { Key: key } }]
  const { item, compared, isWhole } = expected
  if (found && compared && !isWhole) {
    // Others write the rest of it at any time.
    const Update = { Key: key, ...setMembers(contentOf(item, compared), exists) }
    return [...guards, { onConditionFailed: CONFLICT, Update }]
  }
  return [...guards, { onConditionFailed: CONFLICT, Put: { Item: item, ...(found ? {} : isNew) } }]
}

/** The record is still as it was read, or still does not exist. */
function ifUnchanged({ type, key, record }: ReadRecord): Action {
  if (!record) return { onConditionFailed: CONFLICT, ConditionCheck: { Key: key, ...isNew } }
  const names = ['pk', ...type.versionAttributes]
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key: key,
      ConditionExpression: names.map((_, n) => `#n${n} = :v${n}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name, n) => [`:v${n}`, record[name]])),
    },
  }
}
