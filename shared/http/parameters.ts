// The parameters that many endpoints have: ids and slugs in paths, pages, and cursors.
import * as z from 'zod/mini'
import { members } from './members.ts'

/** The largest id or number in a URL. */
const LARGEST_NUMBER = 999_999_999_999_999
/** For the document: a text in the URL, but a number to clients. */
const A_NUMBER = { type: 'integer', minimum: 1, maximum: LARGEST_NUMBER, pattern: undefined } as const

/** An id in a path. Anything but a whole number from 1 is a 404. */
export const Id = z
  .pipe(z.string().check(z.regex(/^[1-9]\d{0,14}$/)), z.transform(Number))
  .check(z.meta(A_NUMBER))

export function byId(noun: string) {
  return members({ id: [Id, `Id of the ${noun}.`] })
}

const Slug = z.string()

export function bySlug(noun: string) {
  return members({ slug: [Slug, `Slug of the ${noun}, percent-encoded.`] })
}

const wholeNumber = z
  .pipe(
    z.string().check(z.regex(/^0*[1-9]\d{0,14}$/, `Must be a whole number from 1 to ${LARGEST_NUMBER}.`)),
    z.transform(Number),
  )
  .check(z.meta(A_NUMBER))

const PAGE = 'Page number, from 1. A page after the last one is empty.'

/** A `per_page` above its maximum counts as the maximum. */
export function perPage(usual = 12, most = 100) {
  const atMost = z
    .pipe(
      wholeNumber,
      z.transform(n => Math.min(n, most)),
    )
    .check(z.meta(A_NUMBER))
  const text = `Items per page, ${usual} by default. More than ${most} counts as ${most}.`
  return { per_page: [z._default(atMost, usual), text] } as const
}

/** The parameters of a list that is read by page. */
export function pageParameters() {
  return { page: [z._default(wholeNumber, 1), PAGE], ...perPage() } as const
}

/** A cursor holds a position, of which the longest is a title in a sort key. */
export const LONGEST_CURSOR = 1_500
export const NO_CURSOR = 'Must be a cursor that this list has answered with, for the same filters.'

/** A cursor as it comes in. `openCursor` in shared/lists opens it. */
export const CursorText = z.string()

/** The text of `cursor.next`, wherever it is. */
export const CURSOR_TEXT = `Continues the list after the last item of this answer. Null at its end. Opaque, and only for the
  same endpoint with the same filters.`
export const AFTER_TEXT = `A \`cursor.next\` of this list with the same filters: the items after those of that answer.`

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

/** `limit`: how many items an answer has at most. */
export function limitParameter(text = `Items per answer, 1 to ${MAX_LIMIT}.`) {
  const limit = z
    .pipe(
      z.string().check(z.regex(/^0*([1-9]\d?|100)$/, `Must be a whole number from 1 to ${MAX_LIMIT}.`)),
      z.transform(Number),
    )
    .check(z.meta({ ...A_NUMBER, maximum: MAX_LIMIT }))
  return { limit: [z._default(limit, DEFAULT_LIMIT), text] } as const
}

/** The parameters of a list with pages that is also read by cursor. Check `ONE_START` with them. */
export const WALK = {
  page: [z.optional(wholeNumber.check(z.meta({ ...A_NUMBER, default: 1 }))), PAGE],
  ...perPage(),
  after: [z.optional(CursorText), `${AFTER_TEXT} Not together with \`page\`.`],
} as const

/** `when` reports the fault together with all others. */
export const ONE_START = z.refine<{ page?: unknown; after?: unknown }>(
  ({ page, after }) => page === undefined || after === undefined,
  { path: ['after'], error: 'Must not be given together with `page`.', when: () => true },
)
