// One pass over the table: what each record requires is added, what is there is subtracted. What is left at
// the end may be wrong, or was written during the pass. Contents are not kept: a large site fits into memory.
import type { Table } from '../../../shared/table/client.ts'
import { type Item, type Key, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { RecordType } from '../record-type.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { digestOf, keyOf, keyText, type Problem } from './compare.ts'
import { openCounts } from './counts.ts'

/** A record, whether or not it exists. */
export type Owner = { type: RecordType; key: Key }

/** An item that may be missing, different or unexpected, and the records that are known to expect it. */
export type Row = { key: Key; owners: Owner[] }

const LIST = 'LIST' satisfies Kind
const TYPES_WITH_LISTS = RECORD_TYPES.filter(({ lists }) => lists.length > 0)
const TYPES_BY_KIND = new Map<string, RecordType[]>([[LIST, TYPES_WITH_LISTS]])

function typesOf({ pk }: Key): RecordType[] {
  const kind = kindOf(pk)
  const types = TYPES_BY_KIND.get(kind) ?? RECORD_TYPES.filter(({ kinds }) => kinds.includes(kind))
  TYPES_BY_KIND.set(kind, types)
  return types
}

/** The records on which an item depends. */
export function ownersOf(item: Item): Owner[] {
  return typesOf(item).flatMap(type => {
    const key = type.ownerOf(item)
    return key ? [{ type, key }] : []
  })
}

export type Pass = ReturnType<typeof openPass>

export function openPass(table: Table) {
  const rows = new Map<string, Row & { sum: number }>()
  const counts = openCounts()
  /** The keys of records that were read, and optional items by the keys of records that were not. */
  const read = new Set<string>()
  const optional = new Map<string, Row[]>()
  /** The names of all lists. */
  const lists = new Set<string>()
  const problems: Problem[] = []

  const change = (key: Key, value: number, owners: Owner[]): void => {
    const text = keyText(key)
    const row = rows.get(text) ?? { key: keyOf(key), owners: [], sum: 0 }
    row.sum += value
    for (const owner of owners) row.owners.push(owner)
    if (row.sum === 0) {
      rows.delete(text)
    } else {
      rows.set(text, row)
    }
  }

  const addRecord = async (type: RecordType, item: Item): Promise<void> => {
    const owner = { type, key: keyOf(item) }
    read.add(keyText(item))
    optional.delete(keyText(item))
    const expectation = await type.read(item, table)
    const message = expectation ? expectation.problem : 'cannot be read.'
    if (message) problems.push({ subject: type.labelOf(item), message, isRepaired: false })
    if (expectation?.rootOf) lists.add(expectation.rootOf.name)
    for (const counted of expectation?.counts ?? []) counts.expect(counted, item)
    for (const { item } of expectation?.dependents ?? []) {
      change(item, digestOf(item, type.dependentAt(item)?.compared), [owner])
    }
  }

  const addDependent = ({ type, key }: Owner, item: Item): void => {
    const { isOptional, compared } = type.dependentAt(item) ?? {}
    const owner = keyText(key)
    if (!isOptional?.(item)) {
      change(item, -digestOf(item, compared), [])
    } else if (!read.has(owner)) {
      optional.set(owner, [...(optional.get(owner) ?? []), { key: keyOf(item), owners: [] }])
    }
  }

  const add = async (item: Item): Promise<void> => {
    if (kindOf(item.pk) === LIST) lists.add(nameIn(item.pk))
    for (const type of typesOf(item)) if (type.isRecord(item)) await addRecord(type, item)
    for (const owner of ownersOf(item)) addDependent(owner, item)
    counts.add(item)
  }
  return {
    add,
    counts,
    lists,
    problems,
    countRecords: () => read.size,
    suspects: (): Row[] => [...rows.values(), ...[...optional.values()].flat()],
  }
}
