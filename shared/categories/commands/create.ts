// Creates a category with its slug and its empty list of posts.
import type * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { emptyListNodes } from '../../lists/counted-list.ts'
import { categoryList } from '../../posts/lists.ts'
import { slugTaken, withDerivedSlug } from '../../slugs/reserve.ts'
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
  const { root, action } = emptyListNodes(categoryList(id))
  const { name, description } = input

  const createAs = (slug: string): Promise<Reply<Category>> =>
    retryOnConflict(async () => {
      const category: CategoryRecord = { ...root, id, name, slug, description, version: 1 }
      const reply = versioned(categoryView(category, 0), category.version)
      const Put = {
        Item: { ...categoryKey(id), ...category },
        ...isNew,
      }
      const totals = await changeTotals(work.table, null, category)
      const actions = [{ Put }, action, lockSlug(slug, id), totals]
      await work.commit({ actions, public: changedCategory(category) }, reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  return await withDerivedSlug(
    { table: work.table, kind: 'category', title: name, fallback: 'category', id, keyOf: categorySlugKey },
    createAs,
  )
}
