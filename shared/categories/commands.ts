// Writing categories: the record, its slug and, on the way out, the message that has its list cleared away.

import type * as z from 'zod/mini'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { type Reply, versioned } from '../http/reply.ts'
import { emptyDirectory } from '../lists/counted-list.ts'
import { categoryList } from '../posts/lists.ts'
import { listWaiting } from '../posts/store/scheduled.ts'
import { SLUG_TAKEN, slugTaken, withMadeSlug } from '../slugs/reserve.ts'
import { type Action, CONFLICT } from '../table/action.ts'
import { isNew } from '../table/conditions.ts'
import { categoryKey, categorySlugKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import { type CategoryRecord, categoryView, changedCategory } from './category.ts'
import type { Category, CategoryChange, CategoryInput } from './contract.ts'
import { getCategory, listCategories } from './store/categories.ts'
import { withCount } from './store/counted.ts'
import { changeTotals } from './store/totals.ts'

/** Takes a slug for the category; refused when another has it. */
export function lockSlug(slug: string, id: number): Action {
  return {
    onConditionFailed: SLUG_TAKEN,
    Put: { Item: { ...categorySlugKey(slug), id }, ...isNew },
  }
}

function totalsWith(
  { table }: UnitOfWork,
  before: CategoryRecord | null,
  after: CategoryRecord | null,
): Promise<Action> {
  return changeTotals(table, { before, after, listAll: () => listCategories(table) })
}

export async function createCategory(work: UnitOfWork, input: z.output<typeof CategoryInput>) {
  const id = await nextId(work.table, 'category')
  const { root, action } = emptyDirectory(categoryList(id))
  const { name, description } = input

  const createAs = (slug: string): Promise<Reply<Category>> =>
    retryOnConflict(async () => {
      const category: CategoryRecord = { ...root, id, name, slug, description, version: 1 }
      const reply = versioned(categoryView(category, 0), category.version)
      const Put = {
        Item: { ...categoryKey(id), ...category },
        ...isNew,
      }
      const totals = await totalsWith(work, null, category)
      await work.commit({ actions: [{ Put }, action, lockSlug(slug, id), totals] }, reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  const made = { kind: 'category', title: name, fallback: 'category', id, keyOf: categorySlugKey } as const
  return await withMadeSlug({ table: work.table, ...made }, createAs)
}

type Asked = { id: number; requireMatch: (version: number) => void }

export function changeCategory(
  work: UnitOfWork,
  { id, requireMatch }: Asked,
  change: z.output<typeof CategoryChange>,
) {
  return retryOnConflict(async (): Promise<Reply<Category>> => {
    const [before, waiting] = await Promise.all([
      getCategory(work.table, id),
      listWaiting(work.table, work.nowSeconds),
    ])
    requireMatch(before.version)
    const after = changedCategory(before, change)
    const reply = versioned(withCount(after, waiting), after.version)
    if (after === before) return reply
    const renaming =
      after.slug === before.slug
        ? []
        : [{ Delete: { Key: categorySlugKey(before.slug) } }, lockSlug(after.slug, id)]
    const totals = await totalsWith(work, before, after)
    await work.commit({ actions: [membersChanged(before, after), ...renaming, totals] }, reply)
    return reply
  }).catch(slugTaken)
}

/** An Update, never a Put: the counts in the record belong to its list and move all the time. */
function membersChanged(before: CategoryRecord, after: CategoryRecord): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: categoryKey(after.id),
      UpdateExpression: 'SET #name = :name, slug = :slug, description = :description, version = :after',
      ConditionExpression: 'version = :before',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: {
        ':name': after.name,
        ':slug': after.slug,
        ':description': after.description,
        ':after': after.version,
        ':before': before.version,
      },
    },
  }
}

/** However many posts are in it: no read shows it from the answer on, the list is cleared away later. */
export function deleteCategory(work: UnitOfWork, { id, requireMatch }: Asked): Promise<void> {
  return retryOnConflict(async () => {
    const category = await getCategory(work.table, id)
    requireMatch(category.version)
    const Delete = {
      Key: categoryKey(id),
      ConditionExpression: 'version = :v',
      ExpressionAttributeValues: { ':v': category.version },
    }
    const totals = await totalsWith(work, category, null)
    await work.commit({
      actions: [
        { onConditionFailed: CONFLICT, Delete },
        { Delete: { Key: categorySlugKey(category.slug) } },
        totals,
      ],
      messages: [{ queue: 'tidy', body: { kind: 'list', list: categoryList(id).name } }],
    })
  })
}
