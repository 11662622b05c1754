// The records among the items of a scan, and the dependents with the records that they name as their owners.
import type { List } from '../../../shared/lists/counted-list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Expectation, RecordType } from '../record-type.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { expectationOf, keyOf, keyText } from './expected-items.ts'

/** `expectation` is undefined for a record that cannot be read. */
export type FoundRecord = { type: RecordType; record: Item; expectation: Expectation | undefined }
export type FoundDependent = { type: RecordType; item: Item; owner: Key }

const TYPES_BY_KIND = new Map<string, RecordType[]>([
  ['LIST' satisfies Kind, RECORD_TYPES.filter(({ lists }) => lists.length > 0)],
  ...[...new Set(RECORD_TYPES.flatMap(({ kinds }) => kinds))].map(
    kind => [kind, RECORD_TYPES.filter(({ kinds }) => kinds.includes(kind))] as const,
  ),
])

function typesOf({ pk }: Item): RecordType[] {
  return TYPES_BY_KIND.get(kindOf(pk)) ?? []
}

export function recordsIn(items: Item[]): FoundRecord[] {
  return items.flatMap(item =>
    readAs(
      typesOf(item).filter(type => type.isRecord(item)),
      item,
    ),
  )
}

export function readAs(types: RecordType[], record: Item | undefined): FoundRecord[] {
  return record ? types.map(type => ({ type, record, expectation: expectationOf(type, record) })) : []
}

export function dependentsIn(items: Item[]): FoundDependent[] {
  return items.flatMap(item =>
    typesOf(item).flatMap(type => {
      const owner = type.ownerOf(item)
      return owner ? [{ type, item, owner }] : []
    }),
  )
}

/** The lists in which the records expect entries, and those that contain the dependents. */
export function listsNamedBy(records: FoundRecord[], dependents: FoundDependent[]): List[] {
  return [
    ...records.flatMap(({ expectation }) => expectation?.listEntries ?? []).map(({ list }) => list),
    ...dependents.flatMap(({ type, item }) => type.listOf(nameIn(item.pk)) ?? []),
  ]
}

export async function findByKeyText(table: Table, keys: Key[]): Promise<Map<string, Item>> {
  const once = new Map(keys.map(key => [keyText(key), keyOf(key)]))
  return new Map((await table.findMany([...once.values()])).map(item => [keyText(item), item]))
}
