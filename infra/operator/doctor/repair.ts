// Repairs the dependents of a record, on condition that the record is still the one that was read.
import { type ListEntry, writeWithLists } from '../../../shared/lists/counted-list.ts'
import { type Action, CONFLICT } from '../../../shared/table/action.ts'
import { setMembers } from '../../../shared/table/change.ts'
import type { Table } from '../../../shared/table/client.ts'
import { exists, isNew } from '../../../shared/table/conditions.ts'
import { nameIn, orderIn } from '../../../shared/table/design.ts'
import type { RecordType } from '../record-type.ts'
import { contentOf, isEntry } from './expected-items.ts'
import type { CheckedRecord, Mismatch } from './mismatch.ts'

/** A transaction holds 100 actions, and a list entry takes up to five. */
const MISMATCHES_AT_ONCE = 15

/** Writes list entries as the service does, so that counts stay exact. Throws ConditionFailed. */
export async function repairRecord(
  table: Table,
  checked: CheckedRecord,
  mismatches: Mismatch[],
): Promise<void> {
  for (let n = 0; n < mismatches.length; n += MISMATCHES_AT_ONCE) {
    const batch = mismatches.slice(n, n + MISMATCHES_AT_ONCE)
    const entries = batch.filter(({ key }) => isEntry(key))
    const lists = {
      before: entries.flatMap(mismatch => foundEntry(checked.type, mismatch)),
      after: entries.flatMap(({ expected }) => expected?.listEntry ?? []),
    }
    const others = batch.filter(({ key }) => !isEntry(key))
    const repairs = others.flatMap(mismatch => actionsFor(checked.type, mismatch))
    await writeWithLists(table, lists, listActions =>
      table.transact([ifUnchanged(checked), ...repairs, ...listActions]),
    )
  }
}

function foundEntry({ listOf }: RecordType, { key, found }: Mismatch): ListEntry[] {
  const [list, order] = [listOf(nameIn(key.pk)), orderIn(key.sk)]
  return found && list && order !== undefined ? [{ list, order, item: Object(found.item) }] : []
}

function actionsFor(type: RecordType, { key, expected, found, otherOwner }: Mismatch): Action[] {
  const guards = otherOwner ? [ifUnchanged({ type, ...otherOwner })] : []
  if (!expected) return [{ Delete: { Key: key } }]
  const { item, compared } = expected
  if (found && compared) {
    // Others write the rest of it at any time.
    const Update = { Key: key, ...setMembers(contentOf(item, compared), exists) }
    return [...guards, { onConditionFailed: CONFLICT, Update }]
  }
  const unlessTaken = found ? {} : isNew
  return [...guards, { onConditionFailed: CONFLICT, Put: { Item: item, ...unlessTaken } }]
}

/** The record is still as it was read, or still does not exist. */
function ifUnchanged({ type, key, record }: CheckedRecord): Action {
  if (!record) {
    return {
      onConditionFailed: CONFLICT,
      ConditionCheck: { Key: key, ...isNew },
    }
  }
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
