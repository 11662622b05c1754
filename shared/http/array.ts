// Schemas of arrays in requests, counted before their members are validated: a body has room for a million.
import * as z from 'zod/mini'

/** Larger than limits on distinct members, because duplicates are folded later. */
const MAX_GIVEN = 1_000

type Bounds = {
  /** The message for a value that is not an array. */
  not: string
  /** The message for an empty array; without it, an empty array is valid. */
  empty?: string
  max?: number
  /** The message for an array that is too long. */
  tooLong?: string
  /** Counts the members. For trees, counts the members of members too. */
  count?: (members: unknown[]) => number
}

/** An array of at most `max` members. */
export function arrayOf<Item extends z.ZodMiniType>(
  item: Item,
  { not, empty, max = MAX_GIVEN, tooLong = `Must have at most ${max} members.`, count = sizeOf }: Bounds,
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

/** Removes duplicates. */
export function unique<Member>() {
  return z.overwrite<Member[]>(members => [...new Set(members)])
}

function sizeOf(members: unknown[]): number {
  return members.length
}

/** Those of the words that this version knows: a newer one may have stored others. */
export function knownOf<Word extends string>(known: readonly Word[], words: readonly string[]): Word[] {
  return words.flatMap(word => known.find(candidate => candidate === word) ?? [])
}
