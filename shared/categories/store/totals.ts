// What is kept of all categories together: a revision, by which readers know that nothing has changed, and how many
// and how large they are. Every change of a category raises it in its own transaction.

import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { invalid } from '../../http/errors.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { categoryTotalsKey } from '../../table/design.ts'
import { type CategoryRecord, categoryView } from '../category.ts'

export const Totals = z.object({
  /** Another one after each change; not a number, so that it is never met again. */
  revision: z.string(),
  count: z.int(),
  answer_bytes: z.int(),
})
export type Totals = z.infer<typeof Totals>

export const MOST_CATEGORIES = 5_000
/** Of the 5.9 MB that an answer may have as the function hands it over, escaped once more. */
export const MOST_CATEGORY_BYTES = 5_700_000
/** No list has more. */
const LARGEST_COUNT = 999_999_999

type Content = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

/** What a category takes of the answer that has all of them. */
export function answerBytes(category: Content | null): number {
  return category === null
    ? 0
    : Buffer.byteLength(JSON.stringify(JSON.stringify(categoryView(category, LARGEST_COUNT))))
}

export function totalsOf(categories: Content[]): Omit<Totals, 'revision'> {
  return {
    count: categories.length,
    answer_bytes: categories.reduce((sum, category) => sum + answerBytes(category), 0),
  }
}

export function findTotals(table: Table): Promise<Totals | undefined> {
  return table.find(categoryTotalsKey, Totals)
}

type Change = {
  before: Content | null
  after: Content | null
  /** Of a table from before there were totals: they are made of what is there. */
  listAll: () => Promise<Content[]>
}

/** Stands beside the change in its transaction. Throws VALIDATION_ERROR when there is no room for it. */
export async function changeTotals(table: Table, { before, after, listAll }: Change): Promise<Action> {
  const totals = await findTotals(table)
  const known = totals ?? totalsOf(await listAll())
  const count = Number(after !== null) - Number(before !== null)
  const bytes = answerBytes(after) - answerBytes(before)
  if (count > 0 && known.count + count > MOST_CATEGORIES) throw invalid({ categories: [TOO_MANY] })
  if (bytes > 0 && known.answer_bytes + bytes > MOST_CATEGORY_BYTES) {
    throw invalid({ categories: [TOO_LARGE] })
  }
  if (!totals) {
    const sums = { count: known.count + count, answer_bytes: known.answer_bytes + bytes }
    const Item = { ...categoryTotalsKey, revision: randomUUID(), ...sums }
    return { onConditionFailed: CONFLICT, Put: { Item, ...isNew } }
  }
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: categoryTotalsKey,
      UpdateExpression: 'SET revision = :revision ADD #count :count, answer_bytes :bytes',
      ConditionExpression: 'attribute_exists(pk) AND #count <= :places AND answer_bytes <= :room',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: {
        ':revision': randomUUID(),
        ':count': count,
        ':bytes': bytes,
        // What does not grow is always taken.
        ':places': count > 0 ? MOST_CATEGORIES - count : Number.MAX_SAFE_INTEGER,
        ':room': bytes > 0 ? MOST_CATEGORY_BYTES - bytes : Number.MAX_SAFE_INTEGER,
      },
    },
  }
}

const TOO_MANY = `Must be at most ${MOST_CATEGORIES}: delete one first.`
const TOO_LARGE =
  'All categories together would be larger than one answer: delete one, or shorten descriptions.'
