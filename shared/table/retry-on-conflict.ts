// Optimistic concurrency: read, decide, write under a condition, and start again after a conflict.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../http/errors.ts'
import { count } from '../metrics/tally.ts'
import { CONFLICT, ConditionFailed } from './action.ts'
import { isConflict, startDeadline, withDeadline } from './retrying.ts'

const LONGEST_PAUSE_MS = 100

/** A deleted list existed when it was read: the next attempt finds out what is missing. */
function isOvertaken(error: unknown): boolean {
  return (
    error instanceof ConditionFailed &&
    error.reasons.some(reason => reason === CONFLICT || reason.startsWith('no-list:'))
  )
}

/** Runs `attempt` until its write succeeds. Throws UNAVAILABLE after too many conflicts. */
export function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  return withDeadline(async () => {
    const hasTime = startDeadline()
    for (let round = 0; ; round++) {
      try {
        return await attempt()
      } catch (error) {
        if (!isOvertaken(error) && !isConflict(error)) throw error
        count('Conflicts')
        if (!hasTime()) {
          throw new ApiError('UNAVAILABLE', 'Too many concurrent changes. Try again.', {
            retryAfterSeconds: 1,
          })
        }
        // Full jitter, as in `retrying`, where a transaction conflict has waited already.
        if (isOvertaken(error)) await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** round))
      }
    }
  })
}
