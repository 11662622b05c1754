// Reads categories, their totals and names. The records of all categories are in one partition.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { watchVersion } from '../cache/version.ts'
import { notFound } from '../http/errors.ts'
import { listScheduled } from '../posts/store/scheduled.ts'
import { isSlug } from '../slugs/slug.ts'
import { findById, perTable, type Table } from '../table/client.ts'
import { CATEGORY_PARTITION, categoryKey, categorySlugKey, categoryTotalsKey } from '../table/design.ts'
import { byName, CategoryRecord, countedCategoryView, Totals } from './category.ts'
import type { Category } from './contract.ts'

const SlugLock = z.object({ id: z.int() })

/** Returns all categories, sorted by name. */
export async function listCategories(table: Table): Promise<CategoryRecord[]> {
  return (await table.query({ pk: CATEGORY_PARTITION }, CategoryRecord)).sort(byName)
}

export async function getCategory(table: Table, id: number): Promise<CategoryRecord> {
  const category = await table.find(categoryKey(id), CategoryRecord)
  if (!category) throw notFound('Category')
  return category
}

export async function findCategoryIdBySlug(table: Table, slug: string): Promise<number | undefined> {
  return isSlug(slug) ? (await table.find(categorySlugKey(slug), SlugLock))?.id : undefined
}

/** The public view. Throws NOT_FOUND, and also if the slug of the category changes between the reads. */
export async function countedCategory(table: Table, slug: string, nowMs: number): Promise<Category> {
  const [id, scheduled] = await Promise.all([
    findCategoryIdBySlug(table, slug),
    listScheduled(table, Math.floor(nowMs / 1000)),
  ])
  const category = id === undefined ? undefined : await getCategory(table, id)
  if (category?.slug !== slug) throw notFound('Category')
  return countedCategoryView(category, scheduled)
}

export async function countedCategories(table: Table, nowMs: number): Promise<Category[]> {
  const [categories, scheduled] = await Promise.all([
    listCategories(table),
    listScheduled(table, Math.floor(nowMs / 1000)),
  ])
  return categories.map(category => countedCategoryView(category, scheduled))
}

const CategoryName = z.lazy(() => z.pick(CategoryRecord, { id: true, name: true, slug: true }))
type CategoryName = Pick<CategoryRecord, 'id' | 'name' | 'slug'>

/** Deleted categories are missing. */
export function findCategoryNames(table: Table, ids: Iterable<number>): Promise<Map<number, CategoryName>> {
  return findById(table, [...ids].map(categoryKey), CategoryName)
}

export function findTotals(table: Table): Promise<Totals | undefined> {
  return table.find(categoryTotalsKey, Totals)
}

export type CategorySummary = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

type Cache = {
  isSettled: (revision: string) => boolean
  entry?: { revision: string; categories: CategorySummary[] }
}
const cacheOf = perTable((): Cache => ({ isSettled: watchVersion<string>() }))

/** Returns the current categories by name. Each call reads the revision under which they are cached. */
export async function listCachedCategories(table: Table): Promise<CategorySummary[]> {
  const totals = await findTotals(table)
  const cache = cacheOf(table)
  const { entry } = cache
  const mayKeep = totals && cache.isSettled(totals.revision)
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
  if (mayKeep) cache.entry = { revision: totals.revision, categories }
  return categories
}
