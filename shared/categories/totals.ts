// The limits on all categories together: how many there are, and how large one answer with all of them is. No I/O.
import * as z from 'zod/mini'
import type { CategoryRecord } from './category.ts'
import { categoryView } from './view.ts'

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

export type CategoryContent = Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>

/** What a category takes of the answer that has all of them. */
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
