// The first look at everything: each item beside the record that it hangs on, each record beside what hangs on it.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Suspect } from './examine.ts'
import type { Finding } from './finding.ts'
import { goneAmong, isRight, keyOf, readable, textOf, type WantedItems, wantedBy } from './record.ts'
import type { Slice } from './slice.ts'
import { SLICES } from './slices.ts'

export type Looked = { records: number; suspects: Suspect[]; findings: Finding[]; lists: string[] }

type Owned = { slice: Slice; item: Item; owner: Key }
type Read = { slice: Slice; record: Item }

/**
 * What seems wrong with some items. A service that writes meanwhile makes things seem wrong that are not: whoever
 * is suspected is examined.
 */
export const look = async (table: Table, items: Item[]): Promise<Looked> => {
  const read = items.flatMap((record): Read[] => {
    const slice = SLICES.find(each => each.isRecord(record))
    return slice ? [{ slice, record }] : []
  })
  const owned = items.flatMap((item): Owned[] =>
    SLICES.flatMap(slice => {
      const owner = slice.ownerOf(item)
      return owner ? [{ slice, item, owner }] : []
    }),
  )
  const owners = await byText(
    table,
    owned.map(({ owner }) => owner),
  )
  const ofOwners = owned.flatMap(({ slice, owner }): Read[] => {
    const record = owners.get(textOf(owner))
    return record ? [{ slice, record }] : []
  })
  const wanted = await wantedByAll(table, [...read, ...ofOwners])
  return {
    records: read.length,
    suspects: [...(await lacking(table, read, wanted)), ...left(owned, owners, wanted)],
    findings: read.flatMap(({ slice, record }) =>
      readable(slice, record)
        ? []
        : [{ where: slice.labelOf(record), says: 'cannot be read.', isMended: false }],
    ),
    lists: listsOf(items, read),
  }
}

const byText = async (table: Table, keys: Key[]): Promise<Map<string, Item>> => {
  const once = new Map(keys.map(key => [textOf(key), keyOf(key)]))
  return new Map((await table.findMany([...once.values()])).map(item => [textOf(item), item]))
}

/** By the text of the record's key; without those that cannot be read. */
const wantedByAll = async (table: Table, read: Read[]): Promise<Map<string, WantedItems>> => {
  const lists = read.flatMap(({ slice, record }) => readable(slice, record)?.places ?? [])
  const gone = await goneAmong(
    table,
    lists.map(({ list }) => list),
  )
  return new Map(
    read.flatMap(({ slice, record }) => {
      const wanted = wantedBy(slice, record, gone)
      return wanted ? [[textOf(record), wanted] as const] : []
    }),
  )
}

/** Records of which something is missing or other than it must be. */
const lacking = async (
  table: Table,
  read: Read[],
  wantedBy: Map<string, WantedItems>,
): Promise<Suspect[]> => {
  const all = read.flatMap(({ record }) => [...(wantedBy.get(textOf(record))?.values() ?? [])])
  const found = await byText(
    table,
    all.map(({ item }) => item),
  )
  return read
    .filter(({ record }) =>
      [...(wantedBy.get(textOf(record)) ?? [])].some(([text, wanted]) => !isRight(wanted, found.get(text))),
    )
    .map(({ slice, record }) => ({ slice, key: keyOf(record), seen: new Map() }))
}

/** Records that do not ask for what hangs on them, or that are not there. */
const left = (owned: Owned[], owners: Map<string, Item>, wantedBy: Map<string, WantedItems>): Suspect[] =>
  owned
    .filter(({ slice, item, owner }) => {
      const wanted = wantedBy.get(textOf(owner))
      if (!owners.has(textOf(owner))) return true
      return wanted !== undefined && !wanted.has(textOf(item)) && !slice.isOptional(item)
    })
    .map(({ slice, item, owner }) => ({ slice, key: owner, seen: new Map([[textOf(item), keyOf(item)]]) }))

const listsOf = (items: Item[], read: Read[]): string[] => [
  ...items.filter(({ pk }) => kindOf(pk) === 'LIST').map(({ pk }) => nameIn(pk)),
  ...read.flatMap(({ slice, record }) => readable(slice, record)?.rootOf?.name ?? []),
]
