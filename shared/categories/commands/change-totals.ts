// Changes the totals of all categories in the transaction of a changed category.

import { randomUUID } from 'node:crypto'
import { invalid } from '../../http/errors.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { categoryTotalsKey } from '../../table/design.ts'
import { findTotals } from '../store/totals.ts'
import { answerBytes, type CategoryContent, MAX_CATEGORIES, MAX_CATEGORY_BYTES } from '../totals.ts'

/** Include in the transaction of the change. Throws VALIDATION_ERROR when a limit would be exceeded. */
export async function changeTotals(
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
