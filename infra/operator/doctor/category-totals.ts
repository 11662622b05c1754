// What is kept of all categories together: how many there are and how large, and that it is there at all.

import { randomUUID } from 'node:crypto'
import { listCategories } from '../../../shared/categories/store/categories.ts'
import { findTotals, type Totals, totalsOf } from '../../../shared/categories/store/totals.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { categoryTotalsKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Finding } from './finding.ts'

/** The revision is read before and after the categories, with which it changes. */
export function examineCategoryTotals(table: Table, isMending: boolean): Promise<Finding[]> {
  return retryOnConflict(async () => {
    const before = await findTotals(table)
    const expected = totalsOf(await listCategories(table))
    const after = await findTotals(table)
    if (before?.revision !== after?.revision) throw new ConditionFailed([CONFLICT])
    const { count = 0, answer_bytes = 0 } = before ?? {}
    if (count === expected.count && answer_bytes === expected.answer_bytes) return []
    if (isMending) {
      const Item = { ...categoryTotalsKey, revision: randomUUID(), ...expected }
      await table.write({ onConditionFailed: CONFLICT, Put: { Item, ...unchanged(before) } })
    }
    return [
      {
        where: 'categories',
        says: before ? 'their totals are not those of the records.' : 'no totals of them are kept.',
        key: categoryTotalsKey,
        expected,
        found: before ? { count, answer_bytes } : null,
        isMended: isMending,
      },
    ]
  })
}

function unchanged(before: Totals | undefined) {
  return before
    ? { ConditionExpression: 'revision = :was', ExpressionAttributeValues: { ':was': before.revision } }
    : isNew
}
