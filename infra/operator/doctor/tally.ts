// The first scan of the doctor: adds items to the balances of the records that they belong to.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Balances } from './balances.ts'
import { expectedItemsOf, keyText } from './expected-items.ts'
import {
  dependentsIn,
  type FoundDependent,
  type FoundRecord,
  findByKeyText,
  listsNamedBy,
  recordsIn,
} from './found-items.ts'
import type { Problem } from './problem.ts'
import { isInRemovedList, type openRemovedLists } from './removed-lists.ts'

/** `problems`: the records that cannot be read. `lists`: the names of lists that exist. */
export type Tally = { records: number; problems: Problem[]; lists: string[] }

export async function tallyItems(
  table: Table,
  balances: Balances,
  findRemovedLists: ReturnType<typeof openRemovedLists>,
  items: Item[],
): Promise<Tally> {
  const records = recordsIn(items)
  const dependents = dependentsIn(items)
  const removed = await findRemovedLists(listsNamedBy(records, dependents))
  for (const { type, record, expectation } of records) {
    const expected = expectation ? expectedItemsOf(type, expectation, removed).values() : []
    for (const { item, compared } of expected) balances.expect(record, item, compared)
  }
  const orphans = await orphansAmong(table, records, dependents)
  for (const dependent of dependents) {
    const { type, item, owner } = dependent
    if (isInRemovedList(item, removed) || (type.isOptional(item) && !orphans.has(dependent))) continue
    balances.find(owner, item, type.comparedIn(item))
  }
  return {
    records: records.length,
    problems: records.filter(({ expectation }) => !expectation).map(unreadable),
    lists: [
      ...items.filter(({ pk }) => kindOf(pk) === ('LIST' satisfies Kind)).map(({ pk }) => nameIn(pk)),
      ...records.flatMap(({ expectation }) => expectation?.rootOf?.name ?? []),
    ],
  }
}

/** Optional dependents without their record. No record expects them, so their balance says nothing. */
async function orphansAmong(
  table: Table,
  records: FoundRecord[],
  dependents: FoundDependent[],
): Promise<Set<FoundDependent>> {
  const read = new Set(records.map(({ record }) => keyText(record)))
  const suspects = dependents.filter(
    ({ type, item, owner }) => type.isOptional(item) && !read.has(keyText(owner)),
  )
  const owners = await findByKeyText(
    table,
    suspects.map(({ owner }) => owner),
  )
  return new Set(suspects.filter(({ owner }) => !owners.has(keyText(owner))))
}

function unreadable({ type, record }: FoundRecord): Problem {
  return {
    subject: type.labelOf(record),
    message: 'cannot be read.',
    isRepaired: false,
  }
}
