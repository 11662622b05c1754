// Optimistic writes: read, decide, write under a condition; when somebody was faster, once more from the start.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../http/errors.ts'
import { CONFLICT, ConditionFailed } from './action.ts'
import { startDeadline, whileRetrying } from './deadline.ts'
import { isConflict } from './retrying.ts'

const LONGEST_PAUSE_MS = 100

/** A list that is gone was there when it was read: reading again tells the caller what is missing. */
function isOvertaken(error: unknown): boolean {
  return (
    error instanceof ConditionFailed &&
    error.reasons.some(reason => reason === CONFLICT || reason.startsWith('no-list:'))
  )
}

/** Runs `decide` until its write goes through. Throws UNAVAILABLE when it was overtaken for too long. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  const hasTime = startDeadline()
  const sinceMs = performance.now()
  for (let round = 0; ; round++) {
    try {
      return await whileRetrying(attempt, { sinceMs, rounds: round })
    } catch (error) {
      if (!isOvertaken(error) && !isConflict(error)) throw error
      if (!hasTime()) {
        throw new ApiError('UNAVAILABLE', 'Too many changes at once, try again.', { retryAfterSeconds: 1 })
      }
      // Others in the way have been waited for already.
      if (isOvertaken(error)) await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** round))
    }
  }
}
