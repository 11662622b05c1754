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
  answerBytes,
  applyCategoryChange,
  type CategoryContent,
  type CategoryRecord,
  categoryView,
  changedCategory,
  countedCategoryView,
  MAX_CATEGORIES,
  MAX_CATEGORY_BYTES,
} from './category.ts'
import type { Category, CategoryChange, CategoryInput } from './contract.ts'
import { findTotals, getCategory } from './store.ts'

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
  return { actions: [put, action, lockSlug(slug, id), totals], public: changedCategory(record, false) }
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
    const totals = await changeTotals(work.table, before, after)
    const actions = [membersChanged(before, after), ...renaming, totals]
    const isRenamed = before.name !== after.name || before.slug !== after.slug
    await work.commit({ actions, public: changedCategory(before, isRenamed) }, reply)
    return reply
  }).catch(slugTaken)
}

/** An Update and not a Put, because the counts in the record change with each post of the category. */
function membersChanged(before: CategoryRecord, after: CategoryRecord): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: categoryKey(after.id), ...changeOf(before, after, hasVersion(before)) },
  }
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
    const totals = await changeTotals(work.table, category, null)
    const change: Change = {
      actions: [
        { onConditionFailed: CONFLICT, Delete },
        { Delete: { Key: categorySlugKey(category.slug) } },
        totals,
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

/** Include in the transaction of the change. Throws VALIDATION_ERROR when a limit would be exceeded. */
async function changeTotals(
  table: Table,
  before: CategoryContent | null,
  after: CategoryContent | null,
): Promise<Action> {
  const current = (await findTotals(table)) ?? NO_TOTALS
  const count = Number(after !== null) - Number(before !== null)
  const bytes = answerBytes(after) - answerBytes(before)
  if (count > 0 && current.count + count > MAX_CATEGORIES) throw invalid({ categories: [TOO_MANY] })
  if (bytes > 0 && current.answer_bytes + bytes > MAX_CATEGORY_BYTES) {
    throw invalid({ categories: [TOO_LARGE] })
  }
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: categoryTotalsKey,
      UpdateExpression: 'SET revision = :revision ADD #count :count, answer_bytes :bytes',
      ConditionExpression:
        'attribute_not_exists(pk) OR (#count <= :mostCount AND answer_bytes <= :mostBytes)',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: {
        ':revision': randomUUID(),
        ':count': count,
        ':bytes': bytes,
        // A change that does not grow the total is always allowed.
        ':mostCount': count > 0 ? MAX_CATEGORIES - count : Number.MAX_SAFE_INTEGER,
        ':mostBytes': bytes > 0 ? MAX_CATEGORY_BYTES - bytes : Number.MAX_SAFE_INTEGER,
      },
    },
  }
}

/** Before the first category. */
const NO_TOTALS = { count: 0, answer_bytes: 0 }

const TOO_MANY = `Must be at most ${MAX_CATEGORIES}: delete one first.`

const TOO_LARGE =
  'All categories together would be larger than one answer: delete one, or shorten descriptions.'
