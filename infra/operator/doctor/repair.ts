// Making what hangs on a record what it must be: under the condition that the record is still the one that was read.

import { type ListEntry, writeWithLists } from '../../../shared/lists/counted-list.ts'
import type { Action } from '../../../shared/table/action.ts'
import { CONFLICT } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { nameIn, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { RecordType } from '../record-type.ts'
import type { Fault } from './fault.ts'
import { isEntry } from './record.ts'

type Looked = { slice: RecordType; key: Key; record: Item | undefined }

/** A transaction holds 100 actions, and an entry in a list takes up to five. */
const FAULTS_AT_ONCE = 15

/** Entries move as the service moves them, so that counts stay right. Throws Refused when somebody was faster. */
export async function mend(table: Table, looked: Looked, faults: Fault[]): Promise<void> {
  for (let n = 0; n < faults.length; n += FAULTS_AT_ONCE) {
    const some = faults.slice(n, n + FAULTS_AT_ONCE)
    const entries = some.filter(({ key }) => isEntry(key))
    const lists = {
      before: entries.flatMap(fault => foundPlace(looked.slice, fault)),
      after: entries.flatMap(({ wanted }) => wanted?.listEntry ?? []),
    }
    const others = some.filter(({ key }) => !isEntry(key))
    const repairs = others.flatMap(fault => actionsOf(looked.slice, fault))
    await writeWithLists(table, lists, listActions =>
      table.transact([asRead(looked), ...repairs, ...listActions]),
    )
  }
}

function foundPlace({ listOf }: RecordType, { key, found }: Fault): ListEntry[] {
  const [list, order] = [listOf(nameIn(key.pk)), orderIn(key.sk)]
  return found && list && order !== undefined ? [{ list, order, item: Object(found.item) }] : []
}

function actionsOf(slice: RecordType, { key, wanted, found, rival }: Fault): Action[] {
  const guards = rival ? [asRead({ slice, ...rival })] : []
  if (!wanted) return [{ Delete: { Key: key } }]
  const unlessTaken = found ? {} : isNew
  return [...guards, { onConditionFailed: CONFLICT, Put: { Item: wanted.item, ...unlessTaken } }]
}

/** The record is unchanged since, or still not there. */
function asRead({ slice, key, record }: Looked): Action {
  if (!record) {
    return {
      onConditionFailed: CONFLICT,
      ConditionCheck: { Key: key, ...isNew },
    }
  }
  const names = ['pk', ...slice.versionAttributes]
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
