// Categories with the number of their public posts, which always is the total of their list.

import { countOf } from '../../lists/counted-list.ts'
import { categoryList } from '../../posts/lists.ts'
import { hiddenIn, listWaiting, type ScheduledRow } from '../../posts/store/scheduled.ts'
import type { Table } from '../../table/client.ts'
import { type CategoryRecord, categoryView } from '../category.ts'
import type { Category } from '../contract.ts'
import { listCategories } from './categories.ts'

export function withCount(category: CategoryRecord, waiting: ScheduledRow[]): Category {
  return categoryView(category, countOf(category, hiddenIn(categoryList(category.id).name, waiting).length))
}

export async function countedCategories(table: Table, nowMs: number): Promise<Category[]> {
  const [categories, waiting] = await Promise.all([
    listCategories(table),
    listWaiting(table, Math.floor(nowMs / 1000)),
  ])
  return categories.map(category => withCount(category, waiting))
}
