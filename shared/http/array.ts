// Arrays that come in: counted before their members are validated, since a body has room for a million wrong ones.
import * as z from 'zod/mini'

/** Where duplicates fold, more members may be given than count in the end. */
const MOST_GIVEN = 1_000

type Bounds = {
  /** What is wrong with a value that is no array. */
  not: string
  /** What is wrong with an empty array, where that is wrong. */
  empty?: string
  max?: number
  /** What is wrong with an array that is too long. */
  tooLong?: string
  /** How many members to count, where members have members of their own. */
  count?: (members: unknown[]) => number
}

/** An array of at most `max` members. */
export function arrayOf<Item extends z.ZodMiniType>(
  item: Item,
  { not, empty, max = MOST_GIVEN, tooLong = `Must have at most ${max} members.`, count = sizeOf }: Bounds,
) {
  return z
    .pipe(
      z.transform((value: unknown, context) => {
        if (Array.isArray(value) && count(value) > max) {
          context.issues.push({ code: 'custom', input: value, message: tooLong })
        }
        return value
      }),
      empty === undefined ? z.array(item, not) : z.array(item, not).check(z.minLength(1, empty)),
    )
    .check(z.meta({ maxItems: max }))
}

/** Duplicates count once. */
export function unique<Member>() {
  return z.overwrite<Member[]>(members => [...new Set(members)])
}

function sizeOf(members: unknown[]): number {
  return members.length
}
