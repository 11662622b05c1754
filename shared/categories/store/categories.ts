// Reads categories. The records of all categories are in one partition.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { CATEGORY_PARTITION, categoryKey, categorySlugKey } from '../../table/design.ts'
import { byName, CategoryRecord } from '../category.ts'
import type { Category } from '../contract.ts'
import { countedCategoryView } from '../view.ts'

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
