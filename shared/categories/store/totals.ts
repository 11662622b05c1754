// What is kept of all categories together: a revision, by which readers know that nothing has changed, and how many
// and how large they are. Every change of a category raises it in its own transaction.
import type { Table } from '../../table/client.ts'
import { categoryTotalsKey } from '../../table/design.ts'
import { Totals } from '../totals.ts'

export function findTotals(table: Table): Promise<Totals | undefined> {
  return table.find(categoryTotalsKey, Totals)
}
