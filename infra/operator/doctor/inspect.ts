// The second scan of the doctor: of the records with a wrong balance, the dependents that are missing,
// different or unexpected.
import type { Table } from '../../../shared/table/client.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Suspect } from './check-record.ts'
import { type ExpectedItems, expectedItemsOf, keyOf, keyText, matches } from './expected-items.ts'
import {
  dependentsIn,
  type FoundDependent,
  type FoundRecord,
  findByKeyText,
  listsNamedBy,
  readAs,
  recordsIn,
} from './found-items.ts'
import { isInRemovedList, type RemovedLists, removedListsAmong } from './removed-lists.ts'

/** Suspects are only possible problems, since the service may be writing: each of them is checked again. */
export async function inspectItems(
  table: Table,
  items: Item[],
  isOff: (record: Key) => boolean,
): Promise<Suspect[]> {
  const records = recordsIn(items).filter(({ record }) => isOff(record))
  const dependents = dependentsIn(items).filter(({ owner }) => isOff(owner))
  const owners = await findByKeyText(
    table,
    dependents.map(({ owner }) => owner),
  )
  const ownerRecords = dependents.flatMap(({ type, owner }) => readAs([type], owners.get(keyText(owner))))
  const all = [...records, ...ownerRecords]
  const removed = await removedListsAmong(table, listsNamedBy(all, dependents))
  const expected: ExpectedByRecord = new Map(
    all.flatMap(({ type, record, expectation }) =>
      expectation ? [[keyText(record), expectedItemsOf(type, expectation, removed)] as const] : [],
    ),
  )
  return [
    ...(await suspectIncomplete(table, records, expected)),
    ...suspectUnexpected(dependents, owners, expected, removed),
  ]
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
