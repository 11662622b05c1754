// How categories are kept: one partition, which has the records of all of them.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { CATEGORY_PARTITION, categoryKey, categorySlugKey } from '../../table/design.ts'
import { byName, CategoryRecord } from '../category.ts'
import type { Category } from '../contract.ts'
import { withCount } from '../view.ts'

const SlugLock = z.object({ id: z.int() })

/** All of them, by name. */
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

/** As readers see it. Throws NOT_FOUND, also for a slug that the category has given up in the meantime. */
export async function showCategory(table: Table, slug: string, nowMs: number): Promise<Category> {
  const [id, waiting] = await Promise.all([
    findCategoryIdBySlug(table, slug),
    listScheduled(table, Math.floor(nowMs / 1000)),
  ])
  const category = id === undefined ? undefined : await getCategory(table, id)
  if (category?.slug !== slug) throw notFound('Category')
  return withCount(category, waiting)
}

export async function countedCategories(table: Table, nowMs: number): Promise<Category[]> {
  const [categories, waiting] = await Promise.all([
    listCategories(table),
    listScheduled(table, Math.floor(nowMs / 1000)),
  ])
  return categories.map(category => withCount(category, waiting))
}
