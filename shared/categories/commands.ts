// Creates, changes and deletes categories, with slug, totals and public change in one transaction.
import { randomUUID } from 'node:crypto'
import type * as z from 'zod/mini'
import type { Change, UnitOfWork } from '../events/unit-of-work.ts'
import { invalid } from '../http/errors.ts'
import { noData, type Reply, versioned } from '../http/reply.ts'
import { emptyListNodes, type RootAttributes } from '../lists/counted-list.ts'
import { categoryList } from '../posts/lists.ts'
import { listScheduled } from '../posts/store/scheduled.ts'
import { SLUG_TAKEN, slugTaken, withDerivedSlug } from '../slugs/reserve.ts'
import { type Action, CONFLICT, changeOf, isNew } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { categoryKey, categorySlugKey, categoryTotalsKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import {
  applyCategoryChange,
  type CategoryRecord,
  changedCategory,
  countedCategoryView,
  MAX_CATEGORIES,
} from './category.ts'
import type { Category, CategoryChange, CategoryInput } from './contract.ts'
import { findTotals, getCategory } from './store.ts'

export async function createCategory(work: UnitOfWork, input: z.output<typeof CategoryInput>) {
  const id = await nextId(work.table, 'category')
  const { name, description } = input

  const createAs = (slug: string): Promise<Reply<Category>> =>
    retryOnConflict(async () => {
      const shown = { id, name, slug, description }
      const reply = versioned({ ...shown, posts_count: 0 }, 1)
      await work.commit(await categoryCreation(work.table, { ...shown, version: 1 }), reply)
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
  if (((await findTotals(table))?.count ?? 0) >= MAX_CATEGORIES) {
    throw invalid({ categories: [`Must be at most ${MAX_CATEGORIES}: delete one first.`] })
  }
  const put: Action = { Put: { Item: { ...categoryKey(id), ...record }, ...isNew } }
  return {
    actions: [put, action, lockSlug(slug, id), changeTotals(1)],
    public: changedCategory(record, false),
  }
}

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
    const Update = { Key: categoryKey(id), ...changeOf(before, after, hasVersion(before)) }
    const actions = [{ onConditionFailed: CONFLICT, Update }, ...renaming, changeTotals(0)]
    const isRenamed = before.name !== after.name || before.slug !== after.slug
    await work.commit({ actions, public: changedCategory(before, isRenamed) }, reply)
    return reply
  }).catch(slugTaken)
}

function hasVersion({ version }: CategoryRecord) {
  return { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } }
}

/** Readers stop seeing the category immediately. Its list, which may be long, is cleared later. */
export function deleteCategory(work: UnitOfWork, { id, requireMatch }: CategoryRef) {
  return retryOnConflict(async () => {
    const category = await getCategory(work.table, id)
    requireMatch(category.version)
    const Delete = { Key: categoryKey(id), ...hasVersion(category) }
    const change: Change = {
      actions: [
        { onConditionFailed: CONFLICT, Delete },
        { Delete: { Key: categorySlugKey(category.slug) } },
        changeTotals(-1),
      ],
      messages: [{ queue: 'jobs', body: { kind: 'list', list: categoryList(id).name } }],
      public: changedCategory(category, true),
    }
    const reply = noData()
    await work.commit(change, reply)
    return reply
  })
}

/** Fails with SLUG_TAKEN when another category has the slug. */
export function lockSlug(slug: string, id: number): Action {
  return {
    onConditionFailed: SLUG_TAKEN,
    Put: { Item: { ...categorySlugKey(slug), id }, ...isNew },
  }
}

/** For the transaction of each change. Fails with CONFLICT if there is no room for what it adds. */
function changeTotals(added: 1 | 0 | -1): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: categoryTotalsKey,
      UpdateExpression: 'SET revision = :revision ADD #count :added',
      ConditionExpression: 'attribute_not_exists(pk) OR #count < :end',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: {
        ':revision': randomUUID(),
        ':added': added,
        ':end': added === 1 ? MAX_CATEGORIES : Number.MAX_SAFE_INTEGER,
      },
    },
  }
}
