// Optimistic writes: read, decide, write under a condition; when somebody was faster, once more from the start.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../http/errors.ts'
import { Refused, STALE } from './action.ts'
import { startPatience, whileDeciding } from './patience.ts'
import { isConflict } from './retrying.ts'

const LONGEST_PAUSE_MS = 100

/** A list that is gone was there when it was read: reading again tells the caller what is missing. */
const isStale = (error: unknown): boolean =>
  error instanceof Refused && error.reasons.some(reason => reason === STALE || reason.startsWith('no-list:'))

/** Runs `decide` until its write goes through. Throws UNAVAILABLE when it was overtaken for too long. */
export const deciding = async <T>(decide: () => Promise<T>): Promise<T> => {
  const hasTime = startPatience()
  const sinceMs = performance.now()
  for (let round = 0; ; round++) {
    try {
      return await whileDeciding(decide, { sinceMs, rounds: round })
    } catch (error) {
      if (!isStale(error) && !isConflict(error)) throw error
      if (!hasTime())
        throw new ApiError('UNAVAILABLE', 'Too many changes at once, try again.', { retryAfterSeconds: 1 })
      // Others in the way have been waited for already.
      if (isStale(error)) await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** round))
    }
  }
}
