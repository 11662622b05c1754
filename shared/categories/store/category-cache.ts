// Caches the categories that views of posts need, and reads them again only after one of them has changed.
import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'
import type { CategoryRecord } from '../category.ts'
import { listCategories } from './categories.ts'
import { findTotals } from './totals.ts'

export type CategorySummary = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

type Cache = { entry?: { revision: string; categories: CategorySummary[] } }
const cacheOf = perTable((): Cache => ({}))

/** Returns the current categories by name. Each call reads the revision under which they are cached. */
export async function listCachedCategories(table: Table): Promise<CategorySummary[]> {
  const totals = await findTotals(table)
  const cache = cacheOf(table)
  const { entry } = cache
  if (totals && entry?.revision === totals.revision) return entry.categories
  // Read after the revision, so that they are at least as new.
  const current = (await listCategories(table)).map(({ id, name, slug, description }) => ({
    id,
    name,
    slug,
    description,
  }))
  // Equal categories stay the same array, because searches cache the words of each category.
  const categories = entry && isDeepStrictEqual(entry.categories, current) ? entry.categories : current
  if (totals) cache.entry = { revision: totals.revision, categories }
  return categories
}
