// How long a piece of work may be tried again: all that belongs to one request or message shares one deadline.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Far below the 20 s of an API function, so that a caller gets a clear answer. */
const DEADLINE_MS = 8_000
/** What was decided on is out of date before long where many write. */
const MOST_TRIES = 20

/** Since when something is decided again and again, and how often it was before. */
type Retrying = { sinceMs: number; rounds: number }
type Bounds = { endMs: number; retrying?: Retrying }

const bounds = new AsyncLocalStorage<Bounds>()

function endIn(timeoutMs: number): number {
  return Math.min(performance.now() + timeoutMs, bounds.getStore()?.endMs ?? Number.POSITIVE_INFINITY)
}

/** Nothing that `run` does is tried again after this time, or after that of what it is a part of. */
export function withDeadline<T>(run: () => T, timeoutMs = DEADLINE_MS): T {
  return bounds.run({ endMs: endIn(timeoutMs) }, run)
}

/** Whoever calls this decides anew when others are in the way: a write then waits a moment only. */
export function whileRetrying<T>(run: () => T, retrying: Retrying): T {
  return bounds.run({ endMs: endIn(DEADLINE_MS), retrying }, run)
}

/** Begins something that may be tried again: the answer tells whether there is time for one more try. */
export function startDeadline(timeoutMs = DEADLINE_MS): () => boolean {
  const endMs = endIn(timeoutMs)
  return () => performance.now() < endMs
}

/**
 * An item is locked for as long as one transaction takes. Whoever has waited for longer tries more often: the oldest
 * get through first, and when few are left the item is not idle between two of them.
 */
function longestInLine(waitedMs: number): number {
  return Math.max(20, 100 - waitedMs / 25)
}

/** For a write that others are in the way of; `isLong`: it has waited for them before. */
export function startWaitingInLine() {
  const { retrying } = bounds.getStore() ?? {}
  const { sinceMs, rounds } = retrying ?? { sinceMs: performance.now(), rounds: 0 }
  return {
    isOver: (round: number) => retrying !== undefined && round >= MOST_TRIES,
    isLong: rounds > 0,
    longestMs: () => longestInLine(performance.now() - sinceMs),
  }
}
