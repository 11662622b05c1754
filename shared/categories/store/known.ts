// The categories as readers of posts need them: kept in memory, and read again only when one of them has changed.
import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'
import type { CategoryRecord } from '../category.ts'
import { listCategories } from './categories.ts'
import { findTotals } from './totals.ts'

export type KnownCategory = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

/** A version of this service that knows no totals may change a category beside this one. */
const KEPT_MS = 60_000

type Cache = { kept?: { revision: string; untilMs: number; categories: KnownCategory[] } }
const cacheOf = perTable((): Cache => ({}))

/** By name, as they are now: they are kept under a revision, which is read each time. */
export async function knownCategories(table: Table): Promise<KnownCategory[]> {
  const totals = await findTotals(table)
  const cache = cacheOf(table)
  const { kept } = cache
  if (totals && kept?.revision === totals.revision && performance.now() < kept.untilMs) return kept.categories
  // Read after the revision, so that they are of it or newer.
  const read = (await listCategories(table)).map(({ id, name, slug, description }) => ({
    id,
    name,
    slug,
    description,
  }))
  // The same ones stay the same array: what a search keeps of them hangs on it.
  const categories = kept && isDeepStrictEqual(kept.categories, read) ? kept.categories : read
  if (totals) {
    cache.kept = { revision: totals.revision, untilMs: performance.now() + KEPT_MS, categories }
  }
  return categories
}
