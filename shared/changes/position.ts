// What a cursor says: how far the feed and the schedule have been told. No I/O.
import * as z from 'zod/mini'
import { CURSOR_SECONDS } from '../feed/age.ts'
import { ApiError } from '../http/errors.ts'
import { timeOrder } from '../table/design.ts'

export const Position = z.lazy(() =>
  z.object({
    /** The hour of the answer. */
    issued: z.int(),
    /** The last row of the feed of which everything was told. */
    place: z.int(),
    /** The same of the schedule, as a key. */
    due: z.string(),
    /** The row after it of which something was told. */
    begun: z.optional(
      z.object({
        source: z.enum(['feed', 'schedule']),
        key: z.string(),
        told: z.int(),
      }),
    ),
  }),
)
export type Position = z.infer<typeof Position>

/** Clocks of functions differ: a post that one has shown may not be due for another. */
const CLOCKS_DIFFER_SECONDS = 2
/** Answers of the same hour have the same position if nothing has changed, and so the same ETag. */
const HOUR_SECONDS = 3_600

export function hourOf(nowSeconds: number): number {
  return Math.floor((nowSeconds - CLOCKS_DIFFER_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS
}

/** Posts that were due before this hour, and that no worker has announced yet, are told once more. */
export function positionNow(place: number, nowSeconds: number): Position {
  return { issued: hourOf(nowSeconds), place, due: endOf(hourOf(nowSeconds)) }
}

/** The last key of a second in the schedule. */
export function endOf(seconds: number): string {
  return timeOrder(seconds, Number.MAX_SAFE_INTEGER)
}

/** Throws CURSOR_EXPIRED: what has changed since is not kept any more. */
export function requireHolding({ issued }: Position, nowSeconds: number): void {
  if (hourOf(nowSeconds) - issued <= CURSOR_SECONDS) return
  throw new ApiError(
    'CURSOR_EXPIRED',
    'The cursor is older than 30 days. Get a new one without `since`, then pull everything.',
  )
}

const RENEWED_SECONDS = 86_400

/** An answer without changes repeats the cursor, so that its ETag stays; once a day it has a new one. */
export function isOld({ issued }: Position, nowSeconds: number): boolean {
  return nowSeconds - issued > RENEWED_SECONDS
}
