// Creates a category with its slug and its empty list of posts.
import type * as z from 'zod/mini'
import type { Change, UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { emptyListNodes, type RootAttributes } from '../../lists/counted-list.ts'
import { categoryList } from '../../posts/lists.ts'
import { slugTaken, withDerivedSlug } from '../../slugs/reserve.ts'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { categoryKey, categorySlugKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type CategoryRecord, changedCategory } from '../category.ts'
import type { Category, CategoryInput } from '../contract.ts'
import { categoryView } from '../view.ts'
import { changeTotals } from './change-totals.ts'
import { lockSlug } from './lock-slug.ts'

export async function createCategory(work: UnitOfWork, input: z.output<typeof CategoryInput>) {
  const id = await nextId(work.table, 'category')
  const { name, description } = input

  const createAs = (slug: string): Promise<Reply<Category>> =>
    retryOnConflict(async () => {
      const category = { id, name, slug, description, version: 1 }
      const reply = versioned(categoryView(category, 0), category.version)
      await work.commit(await categoryCreation(work.table, category), reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  return await withDerivedSlug(
    { table: work.table, kind: 'category', title: name, fallback: 'category', id, keyOf: categorySlugKey },
    createAs,
  )
}

type NewCategory = Omit<CategoryRecord, keyof RootAttributes>

/** The record with its slug and its empty list of posts. Fails with SLUG_TAKEN. Throws VALIDATION_ERROR. */
export async function categoryCreation(table: Table, category: NewCategory): Promise<Change> {
  const { id, slug } = category
  const { root, action } = emptyListNodes(categoryList(id))
  const record: CategoryRecord = { ...root, ...category }
  const totals = await changeTotals(table, null, record)
  const put: Action = { Put: { Item: { ...categoryKey(id), ...record }, ...isNew } }
  return { actions: [put, action, lockSlug(slug, id), totals], public: changedCategory(record) }
}
