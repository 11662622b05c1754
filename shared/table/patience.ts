// How long a piece of work may be tried again: all that belongs to one request or message shares one deadline.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Far below the 20 s of an API function, so that a caller gets a clear answer. */
const PATIENCE_MS = 8_000
/** What was decided on is out of date before long where many write. */
const TRIES_DECIDED = 20

/** Since when something is decided again and again, and how often it was before. */
type Deciding = { sinceMs: number; rounds: number }
type Bounds = { endMs: number; deciding?: Deciding }

const bounds = new AsyncLocalStorage<Bounds>()

const endIn = (patienceMs: number): number =>
  Math.min(performance.now() + patienceMs, bounds.getStore()?.endMs ?? Number.POSITIVE_INFINITY)

/** Nothing that `run` does is tried again after this time, or after that of what it is a part of. */
export const withPatience = <T>(run: () => T, patienceMs = PATIENCE_MS): T =>
  bounds.run({ endMs: endIn(patienceMs) }, run)

/** Whoever calls this decides anew when others are in the way: a write then waits a moment only. */
export const whileDeciding = <T>(run: () => T, deciding: Deciding): T =>
  bounds.run({ endMs: endIn(PATIENCE_MS), deciding }, run)

/** Begins something that may be tried again: the answer tells whether there is time for one more try. */
export const startPatience = (patienceMs = PATIENCE_MS): (() => boolean) => {
  const endMs = endIn(patienceMs)
  return () => performance.now() < endMs
}

/**
 * An item is locked for as long as one transaction takes. Whoever has waited for longer tries more often: the oldest
 * get through first, and when few are left the item is not idle between two of them.
 */
const longestInLine = (waitedMs: number): number => Math.max(20, 100 - waitedMs / 25)

/** For a write that others are in the way of; `isLong`: it has waited for them before. */
export const startWaitingInLine = () => {
  const { deciding } = bounds.getStore() ?? {}
  const { sinceMs, rounds } = deciding ?? { sinceMs: performance.now(), rounds: 0 }
  return {
    isOver: (round: number) => deciding !== undefined && round >= TRIES_DECIDED,
    isLong: rounds > 0,
    longestMs: () => longestInLine(performance.now() - sinceMs),
  }
}
