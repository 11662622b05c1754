// The first look at everything: each item beside the record that it hangs on, each record beside what hangs on it.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Expectation, RecordType } from '../record-type.ts'
import { RECORD_TYPES } from '../record-types.ts'
import type { Suspect } from './examine.ts'
import type { Finding } from './finding.ts'
import {
  type ExpectedItems,
  expectationOf,
  expectedItemsOf,
  isInRemovedList,
  keyOf,
  matches,
  type RemovedLists,
  removedListsAmong,
  textOf,
} from './record.ts'

export type Looked = { records: number; suspects: Suspect[]; findings: Finding[]; lists: string[] }

type Read = { slice: RecordType; record: Item; standing: Expectation | undefined }
type Owned = { slice: RecordType; item: Item; owner: Key }

/**
 * What seems wrong with some items. A service that writes meanwhile makes things seem wrong that are not: whoever
 * is suspected is examined.
 */
export async function look(table: Table, items: Item[]): Promise<Looked> {
  const read = items.flatMap(item =>
    readOf(
      RECORD_TYPES.filter(slice => slice.isRecord(item)),
      item,
    ),
  )
  const owned = items.flatMap(ownedOf)
  const owners = await byText(
    table,
    owned.map(({ owner }) => owner),
  )
  const ofOwners = owned.flatMap(({ slice, owner }) => readOf([slice], owners.get(textOf(owner))))
  const all = [...read, ...ofOwners]
  const gone = await removedListsAmong(table, [
    ...all.flatMap(({ standing }) => standing?.listEntries ?? []).map(({ list }) => list),
    ...owned.flatMap(({ slice, item }) => slice.listOf(nameIn(item.pk)) ?? []),
  ])
  const wanted = new Map(
    all.flatMap(({ record, standing }) =>
      standing ? [[textOf(record), expectedItemsOf(standing, gone)] as const] : [],
    ),
  )
  return {
    records: read.length,
    suspects: [...(await lacking(table, read, wanted)), ...left(owned, owners, wanted, gone)],
    findings: read.filter(({ standing }) => !standing).map(unreadable),
    lists: [
      ...items.filter(({ pk }) => kindOf(pk) === 'LIST').map(({ pk }) => nameIn(pk)),
      ...read.flatMap(({ standing }) => standing?.rootOf?.name ?? []),
    ],
  }
}

function readOf(slices: RecordType[], record: Item | undefined): Read[] {
  return record ? slices.map(slice => ({ slice, record, standing: expectationOf(slice, record) })) : []
}

function ownedOf(item: Item): Owned[] {
  return RECORD_TYPES.flatMap(slice => {
    const owner = slice.ownerOf(item)
    return owner ? [{ slice, item, owner }] : []
  })
}

function unreadable({ slice, record }: Read): Finding {
  return {
    where: slice.labelOf(record),
    says: 'cannot be read.',
    isMended: false,
  }
}

async function byText(table: Table, keys: Key[]): Promise<Map<string, Item>> {
  const once = new Map(keys.map(key => [textOf(key), keyOf(key)]))
  return new Map((await table.findMany([...once.values()])).map(item => [textOf(item), item]))
}

/** By the text of the record's key; without those that cannot be read. */
type WantedByAll = Map<string, ExpectedItems>

/** Records of which something is missing or other than it must be. */
async function lacking(table: Table, read: Read[], expectedItemsOf: WantedByAll): Promise<Suspect[]> {
  const all = read.flatMap(({ record }) => [...(expectedItemsOf.get(textOf(record))?.values() ?? [])])
  const found = await byText(
    table,
    all.map(({ item }) => item),
  )
  return read
    .filter(({ record }) =>
      [...(expectedItemsOf.get(textOf(record)) ?? [])].some(
        ([text, wanted]) => !matches(wanted, found.get(text)),
      ),
    )
    .map(({ slice, record }) => ({ slice, key: keyOf(record), seen: new Map() }))
}

/** Records that do not ask for what hangs on them, or that are not there. */
function left(
  owned: Owned[],
  owners: Map<string, Item>,
  expectedItemsOf: WantedByAll,
  gone: RemovedLists,
): Suspect[] {
  return owned
    .filter(({ slice, item, owner }) => {
      if (isInRemovedList(item, gone)) return false
      if (!owners.has(textOf(owner))) return true
      const wanted = expectedItemsOf.get(textOf(owner))
      return wanted !== undefined && !wanted.has(textOf(item)) && !slice.isOptional(item)
    })
    .map(({ slice, item, owner }) => ({ slice, key: owner, seen: new Map([[textOf(item), keyOf(item)]]) }))
}
