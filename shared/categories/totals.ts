// The limits on all categories together: their number, and the size of one answer with all of them. No I/O.
import * as z from 'zod/mini'
import type { CategoryRecord } from './category.ts'
import { categoryView } from './view.ts'

export const Totals = z.object({
  /** A new random id with each change. */
  revision: z.string(),
  count: z.int(),
  answer_bytes: z.int(),
})

export type Totals = z.infer<typeof Totals>

export const MAX_CATEGORIES = 5_000

/** The function's result, which contains the answer as an escaped string, may have 5.9 MB. */
export const MAX_CATEGORY_BYTES = 5_700_000

/** The count with the most digits that a category can have. */
const LARGEST_COUNT = 999_999_999

export type CategoryContent = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

/** The number of bytes that a category needs in the answer with all categories. */
export function answerBytes(category: CategoryContent | null): number {
  return category === null
    ? 0
    : Buffer.byteLength(JSON.stringify(JSON.stringify(categoryView(category, LARGEST_COUNT))))
}

export function totalsOf(categories: CategoryContent[]): Omit<Totals, 'revision'> {
  return {
    count: categories.length,
    answer_bytes: categories.reduce((sum, category) => sum + answerBytes(category), 0),
  }
}
