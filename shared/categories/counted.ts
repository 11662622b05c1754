// Categories with the number of their public posts, which always is the total of their list.
import { categoryList } from '../posts/places.ts'
import { hiddenIn, listWaiting, type ScheduledRow } from '../posts/scheduled.ts'
import type { Table } from '../table/client.ts'
import { countOf } from '../table/counted-list.ts'
import { type CategoryRecord, categoryView } from './category.ts'
import type { Category } from './contract.ts'
import { listCategories } from './store.ts'

export const withCount = (category: CategoryRecord, waiting: ScheduledRow[]): Category =>
  categoryView(category, countOf(category, hiddenIn(categoryList(category.id).name, waiting).length))

export const countedCategories = async (table: Table, nowMs: number): Promise<Category[]> => {
  const [categories, waiting] = await Promise.all([
    listCategories(table),
    listWaiting(table, Math.floor(nowMs / 1000)),
  ])
  return categories.map(category => withCount(category, waiting))
}
