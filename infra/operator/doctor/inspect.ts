// The first step of the doctor: compares each record with its dependents, and each dependent with its record.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Expectation, RecordType } from '../record-type.ts'
import { RECORD_TYPES } from '../record-types.ts'
import type { Suspect } from './check-record.ts'
import {
  type ExpectedItems,
  expectationOf,
  expectedItemsOf,
  isInRemovedList,
  keyOf,
  keyText,
  matches,
  type RemovedLists,
  removedListsAmong,
} from './expected-items.ts'
import type { Problem } from './problem.ts'

export type Inspection = { records: number; suspects: Suspect[]; problems: Problem[]; lists: string[] }

/** `expectation` is undefined for a record that cannot be read. */
type FoundRecord = { type: RecordType; record: Item; expectation: Expectation | undefined }
type FoundDependent = { type: RecordType; item: Item; owner: Key }

/** Suspects are only possible problems, since the service may be writing: each of them is checked again. */
export async function inspectItems(table: Table, items: Item[]): Promise<Inspection> {
  const records = items.flatMap(item =>
    readAs(
      RECORD_TYPES.filter(type => type.isRecord(item)),
      item,
    ),
  )
  const dependents = items.flatMap(dependentsIn)
  const owners = await findByKeyText(
    table,
    dependents.map(({ owner }) => owner),
  )
  const ownerRecords = dependents.flatMap(({ type, owner }) => readAs([type], owners.get(keyText(owner))))
  const all = [...records, ...ownerRecords]
  const removed = await removedListsAmong(table, [
    ...all.flatMap(({ expectation }) => expectation?.listEntries ?? []).map(({ list }) => list),
    ...dependents.flatMap(({ type, item }) => type.listOf(nameIn(item.pk)) ?? []),
  ])
  const expected: ExpectedByRecord = new Map(
    all.flatMap(({ record, expectation }) =>
      expectation ? [[keyText(record), expectedItemsOf(expectation, removed)] as const] : [],
    ),
  )
  return {
    records: records.length,
    suspects: [
      ...(await suspectIncomplete(table, records, expected)),
      ...suspectUnexpected(dependents, owners, expected, removed),
    ],
    problems: records.filter(({ expectation }) => !expectation).map(unreadable),
    lists: [
      ...items.filter(({ pk }) => kindOf(pk) === 'LIST').map(({ pk }) => nameIn(pk)),
      ...records.flatMap(({ expectation }) => expectation?.rootOf?.name ?? []),
    ],
  }
}

function readAs(types: RecordType[], record: Item | undefined): FoundRecord[] {
  return record ? types.map(type => ({ type, record, expectation: expectationOf(type, record) })) : []
}

function dependentsIn(item: Item): FoundDependent[] {
  return RECORD_TYPES.flatMap(type => {
    const owner = type.ownerOf(item)
    return owner ? [{ type, item, owner }] : []
  })
}

function unreadable({ type, record }: FoundRecord): Problem {
  return {
    subject: type.labelOf(record),
    message: 'cannot be read.',
    isRepaired: false,
  }
}

async function findByKeyText(table: Table, keys: Key[]): Promise<Map<string, Item>> {
  const once = new Map(keys.map(key => [keyText(key), keyOf(key)]))
  return new Map((await table.findMany([...once.values()])).map(item => [keyText(item), item]))
}

/** By the text of the record's key, without records that cannot be read. */
type ExpectedByRecord = Map<string, ExpectedItems>

/** Records of which a dependent is missing or different. */
async function suspectIncomplete(
  table: Table,
  records: FoundRecord[],
  expected: ExpectedByRecord,
): Promise<Suspect[]> {
  const itemsOf = (record: Item) => [...(expected.get(keyText(record)) ?? [])]
  const found = await findByKeyText(
    table,
    records.flatMap(({ record }) => itemsOf(record).map(([, { item }]) => item)),
  )
  return records
    .filter(({ record }) => itemsOf(record).some(([text, item]) => !matches(item, found.get(text))))
    .map(({ type, record }) => ({ type, key: keyOf(record), unexpected: new Map() }))
}

/** Owners of items that they do not expect, or that outlived them. */
function suspectUnexpected(
  dependents: FoundDependent[],
  owners: Map<string, Item>,
  expected: ExpectedByRecord,
  removed: RemovedLists,
): Suspect[] {
  return dependents
    .filter(({ type, item, owner }) => {
      if (isInRemovedList(item, removed)) return false
      if (!owners.has(keyText(owner))) return true
      const ofOwner = expected.get(keyText(owner))
      return ofOwner !== undefined && !ofOwner.has(keyText(item)) && !type.isOptional(item)
    })
    .map(({ type, item, owner }) => ({
      type,
      key: owner,
      unexpected: new Map([[keyText(item), keyOf(item)]]),
    }))
}
