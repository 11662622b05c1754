// Reads the totals of all categories: number, size, and a revision by which caches notice a change.
// Each write of a category updates the totals in its transaction.
import type { Table } from '../../table/client.ts'
import { categoryTotalsKey } from '../../table/design.ts'
import { Totals } from '../totals.ts'

export function findTotals(table: Table): Promise<Totals | undefined> {
  return table.find(categoryTotalsKey, Totals)
}
