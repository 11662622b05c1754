// Changes and deletes categories. A deleted category's list of posts is cleared in the background.
import type * as z from 'zod/mini'
import type { Change, UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { categoryList } from '../../posts/lists.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import { slugTaken } from '../../slugs/reserve.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { categoryKey, categorySlugKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { applyCategoryChange, type CategoryRecord, changedCategory } from '../category.ts'
import type { Category, CategoryChange } from '../contract.ts'
import { getCategory } from '../store/categories.ts'
import { countedCategoryView } from '../view.ts'
import { changeTotals } from './change-totals.ts'
import { lockSlug } from './lock-slug.ts'
import { noteIfShown, shownFromMs } from './shown.ts'

type CategoryRef = { id: number; requireMatch: (version: number) => void }

export function changeCategory(
  work: UnitOfWork,
  { id, requireMatch }: CategoryRef,
  change: z.output<typeof CategoryChange>,
) {
  return retryOnConflict(async (): Promise<Reply<Category>> => {
    const [before, scheduled] = await Promise.all([
      getCategory(work.table, id),
      listScheduled(work.table, work.nowSeconds),
    ])
    requireMatch(before.version)
    const after = applyCategoryChange(before, change)
    const reply = versioned(countedCategoryView(after, scheduled), after.version)
    if (after === before) return reply
    const renaming =
      after.slug === before.slug
        ? []
        : [{ Delete: { Key: categorySlugKey(before.slug) } }, lockSlug(after.slug, id)]
    const totals = await changeTotals(work.table, before, after)
    const actions = [membersChanged(before, after), ...renaming, totals]
    const isRenamed = before.name !== after.name || before.slug !== after.slug
    await commitChange(work, before, { actions, isOnPosts: isRenamed }, reply)
    return reply
  }).catch(slugTaken)
}

type OwnChange = Pick<Change, 'actions' | 'messages'> & { isOnPosts: boolean }

/** `isOnPosts`: posts and pages show the change, if there are any. */
async function commitChange(
  work: UnitOfWork,
  before: CategoryRecord,
  { isOnPosts, ...change }: OwnChange,
  reply?: Reply<Category>,
): Promise<void> {
  if (!isOnPosts) return await work.commit({ ...change, public: changedCategory(before) }, reply)
  const fromMs = await shownFromMs(work.table, before.id, work.nowSeconds)
  await work.commit({ ...change, public: changedCategory(before, fromMs) }, reply)
  if (fromMs > work.clock()) await noteIfShown(work, before.id)
}

/** An Update and not a Put, because the counts in the record change with each post of the category. */
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

/** Readers stop seeing the category immediately. Its list, which may be long, is cleared later. */
export function deleteCategory(work: UnitOfWork, { id, requireMatch }: CategoryRef): Promise<void> {
  return retryOnConflict(async () => {
    const category = await getCategory(work.table, id)
    requireMatch(category.version)
    const Delete = {
      Key: categoryKey(id),
      ConditionExpression: 'version = :v',
      ExpressionAttributeValues: { ':v': category.version },
    }
    const totals = await changeTotals(work.table, category, null)
    await commitChange(work, category, {
      actions: [
        { onConditionFailed: CONFLICT, Delete },
        { Delete: { Key: categorySlugKey(category.slug) } },
        totals,
      ],
      messages: [{ queue: 'jobs', body: { kind: 'list', list: categoryList(id).name } }],
      isOnPosts: true,
    })
  })
}
