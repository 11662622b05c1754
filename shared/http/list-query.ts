// Parameters of lists that are read by cursor.
import * as z from 'zod/mini'
import { A_NUMBER, perPageParameter, wholeNumber } from './endpoint.ts'

/** A cursor holds a position, of which the longest is a title in a sort key. */
export const LONGEST_CURSOR = 1_500
export const NO_CURSOR = 'Must be a cursor that this list has answered with, for the same filters.'

/** A cursor as it comes in. `openCursor` in shared/lists opens it. */
export const CursorText = z.string()

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

/** Parameters of a list with pages that is also read by cursor. Check `ONE_START` with them. */
export function walkParameters() {
  walked ??= {
    page: z.optional(wholeNumber.check(z.meta({ ...A_NUMBER, default: 1 }))),
    per_page: perPageParameter(),
    after: z.optional(CursorText),
  }
  return walked
}

type Walked = {
  page: z.ZodMiniOptional<typeof wholeNumber>
  per_page: ReturnType<typeof perPageParameter>
  after: z.ZodMiniOptional<typeof CursorText>
}
/** Built once, since each schema adds to a cold start. */
let walked: Walked | undefined

/** `when` reports the fault together with all others. */
export const ONE_START = z.refine<{ page?: unknown; after?: unknown }>(
  ({ page, after }) => page === undefined || after === undefined,
  { path: ['after'], error: 'Must not be given together with `page`.', when: () => true },
)
