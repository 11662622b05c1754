// Reads the names of some categories by id. Their records alone are read, however many categories there are.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { categoryKey } from '../../table/design.ts'
import { CategoryRecord } from '../category.ts'

const CategoryName = z.lazy(() => z.pick(CategoryRecord, { id: true, name: true, slug: true }))
export type CategoryName = Pick<CategoryRecord, 'id' | 'name' | 'slug'>

/** Deleted categories are missing. */
export async function findCategoryNames(
  table: Table,
  ids: Iterable<number>,
): Promise<Map<number, CategoryName>> {
  const items = await table.findMany([...ids].map(categoryKey))
  const names = items.map(item => CategoryName.parse(item))
  return new Map(names.map(name => [name.id, name]))
}
