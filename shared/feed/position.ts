// Where a reader of public changes stands: what a cursor of GET /changes says, sealed. No I/O.
import * as z from 'zod/mini'
import { timeOrder } from '../table/design.ts'
import { PLACES_PER_MS } from './note.ts'

/** Cursors are bound to this path. */
export const CHANGES_PATH = '/api/v1/changes'

export const Position = z.lazy(() =>
  z.object({
    /** The day of the answer. */
    issued: z.int(),
    /** The last row of the feed of which everything was answered. */
    place: z.int(),
    /** The same of the schedule, as a key. */
    due: z.string(),
    /** The row after it of which something was answered. */
    begun: z.optional(
      z.object({
        source: z.enum(['feed', 'schedule']),
        key: z.string(),
        done: z.int(),
      }),
    ),
  }),
)
export type Position = z.infer<typeof Position>

/** Clocks of functions differ: a post that one has shown may not be due for another. */
const CLOCKS_DIFFER_SECONDS = 2
/** Answers of the same hour have the same position if nothing has changed, and so the same ETag. */
const HOUR_SECONDS = 3_600

const DAY_SECONDS = 86_400

/** An answer without changes repeats the cursor, and so the ETag, all day. */
export function dayOf(nowSeconds: number): number {
  return Math.floor(nowSeconds / DAY_SECONDS) * DAY_SECONDS
}

/** Posts that were due before this hour, and that no worker has announced yet, are answered once more. */
export function positionNow(place: number, nowSeconds: number): Position {
  const hour = Math.floor((nowSeconds - CLOCKS_DIFFER_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS
  return { issued: dayOf(nowSeconds), place, due: timeOrder(hour, Number.MAX_SAFE_INTEGER) }
}

/** A change gets its place after its event its time, by a clock that may be corrected in between. */
const CORRECTED_MS = 100

/** Just before the change of an event. */
export function positionBefore(happenedMs: number): Position {
  const ms = happenedMs - CORRECTED_MS
  return positionNow(ms * PLACES_PER_MS, Math.floor(ms / 1000))
}
