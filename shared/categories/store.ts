// How categories are kept: one partition, which has the records of all of them.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import { isSlug } from '../posts/slug.ts'
import type { Table } from '../table/client.ts'
import { categoryKey, categoryPartition, categorySlugKey } from '../table/design.ts'
import { byName, CategoryRecord } from './category.ts'

const SlugLock = z.object({ id: z.int() })

/** All of them, by name. */
export const listCategories = async (table: Table): Promise<CategoryRecord[]> =>
  (await table.query({ pk: categoryPartition }, CategoryRecord)).sort(byName)

export const getCategory = async (table: Table, id: number): Promise<CategoryRecord> => {
  const category = await table.find(categoryKey(id), CategoryRecord)
  if (!category) throw notFound('Category')
  return category
}

export const findCategoryIdBySlug = async (table: Table, slug: string): Promise<number | undefined> =>
  isSlug(slug) ? (await table.find(categorySlugKey(slug), SlugLock))?.id : undefined
