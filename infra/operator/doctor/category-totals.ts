// Checks the totals of all categories: their number and the size of an answer with all of them.
import { randomUUID } from 'node:crypto'
import { listCategories } from '../../../shared/categories/store/categories.ts'
import { findTotals } from '../../../shared/categories/store/totals.ts'
import { type Totals, totalsOf } from '../../../shared/categories/totals.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { categoryTotalsKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Problem } from './problem.ts'

/** Each change of a category changes the revision of the totals, so it is read before and after them. */
export function checkCategoryTotals(table: Table, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const before = await findTotals(table)
    const expected = totalsOf(await listCategories(table))
    const after = await findTotals(table)
    if (before?.revision !== after?.revision) throw new ConditionFailed([CONFLICT])
    const { count = 0, answer_bytes = 0 } = before ?? {}
    if (count === expected.count && answer_bytes === expected.answer_bytes) return []
    if (repair) {
      const Item = { ...categoryTotalsKey, revision: randomUUID(), ...expected }
      await table.write({ onConditionFailed: CONFLICT, Put: { Item, ...ifUnchanged(before) } })
    }
    return [
      {
        subject: 'categories',
        message: before ? 'their totals do not match the records.' : 'their totals are missing.',
        key: categoryTotalsKey,
        expected,
        found: before ? { count, answer_bytes } : null,
        isRepaired: repair,
      },
    ]
  })
}

function ifUnchanged(before: Totals | undefined) {
  return before
    ? { ConditionExpression: 'revision = :was', ExpressionAttributeValues: { ':was': before.revision } }
    : isNew
}
