// Parameters of lists that are read by cursor.
import * as z from 'zod/mini'
import { A_NUMBER, pageQuery, wholeNumber } from './endpoint.ts'

/** A cursor holds a position, of which the longest is a title in a sort key. */
export const LONGEST_CURSOR = 1_500
export const NO_CURSOR = 'Must be a cursor that this list has answered with, for the same filters.'

/** A cursor as it comes in. `openCursor` in shared/lists opens it. */
export const CursorText = z.string().check(z.maxLength(LONGEST_CURSOR, NO_CURSOR))

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

/** `limit`: how many items an answer has at most. */
export function limitQuery() {
  const limit = z
    .pipe(
      z.string().check(z.regex(/^0*([1-9]\d?|100)$/, `Must be a whole number from 1 to ${MAX_LIMIT}.`)),
      z.transform(Number),
    )
    .check(z.meta({ ...A_NUMBER, maximum: MAX_LIMIT }))
  return z.object({ limit: z._default(limit, DEFAULT_LIMIT) })
}

/** Parameters of a list with pages that is also read by cursor. Add `ONE_START` after extending them. */
export function walkQuery() {
  const { per_page } = pageQuery().shape
  const page = wholeNumber.check(z.meta({ ...A_NUMBER, default: 1 }))
  return z.object({ page: z.optional(page), per_page, after: z.optional(CursorText) })
}

/** `when` reports the fault together with all others. */
export const ONE_START = z.refine<{ page?: unknown; after?: unknown }>(
  ({ page, after }) => page === undefined || after === undefined,
  { path: ['after'], error: 'Must not be given together with `page`.', when: () => true },
)
