// Optimistic writes: read, decide, write under a condition; when somebody was faster, once more from the start.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../http/errors.ts'
import { Refused, STALE } from './action.ts'

const DEADLINE_MS = 8_000
const LONGEST_PAUSE_MS = 400

/** A list that is gone was there when it was read: reading again tells the caller what is missing. */
const isStale = (error: unknown): boolean =>
  error instanceof Refused && error.reasons.some(reason => reason === STALE || reason.startsWith('no-list:'))

/** Runs `decide` until its write goes through. Throws UNAVAILABLE after 8 s of being overtaken. */
export const deciding = async <T>(decide: () => Promise<T>): Promise<T> => {
  const started = performance.now()
  for (let round = 0; ; round++) {
    try {
      return await decide()
    } catch (error) {
      if (!isStale(error)) throw error
      if (performance.now() - started > DEADLINE_MS)
        throw new ApiError('UNAVAILABLE', 'Too many changes at once, try again.', { retryAfterSeconds: 1 })
      await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** round))
    }
  }
}
