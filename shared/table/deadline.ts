// The deadline of retries, shared by everything that belongs to one request or message.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Far below the 20 s of an API function, so that the caller gets a clear answer. */
const DEADLINE_MS = 8_000
/** Under contention the data that a write was based on is soon outdated: read again instead of retrying. */
const MAX_TRIES = 20

/** When the first attempt started, and how many attempts came before this one. */
type Retrying = { sinceMs: number; rounds: number }
type Bounds = { endMs: number; retrying?: Retrying }

const bounds = new AsyncLocalStorage<Bounds>()

function endIn(timeoutMs: number): number {
  return Math.min(performance.now() + timeoutMs, bounds.getStore()?.endMs ?? Number.POSITIVE_INFINITY)
}

/** Stops all retries inside `run` after this time, or at the enclosing deadline if that is sooner. */
export function withDeadline<T>(run: () => T, timeoutMs = DEADLINE_MS): T {
  return bounds.run({ endMs: endIn(timeoutMs) }, run)
}

/** Inside a retry-on-conflict loop writes give up quickly, because the caller will read again and retry. */
export function whileRetrying<T>(run: () => T, retrying: Retrying): T {
  return bounds.run({ endMs: endIn(DEADLINE_MS), retrying }, run)
}

/** Starts a deadline. The returned function says whether there is time for one more attempt. */
export function startDeadline(timeoutMs = DEADLINE_MS): () => boolean {
  const endMs = endIn(timeoutMs)
  return () => performance.now() < endMs
}

/**
 * The longest pause between attempts on an item that another transaction holds. It shrinks with the time
 * waited, so that the oldest writer gets through first.
 */
function longestInLine(waitedMs: number): number {
  return Math.max(20, 100 - waitedMs / 25)
}

/** For a write that conflicts with others. `isLong`: earlier rounds have waited already. */
export function startWaitingInLine() {
  const { retrying } = bounds.getStore() ?? {}
  const { sinceMs, rounds } = retrying ?? { sinceMs: performance.now(), rounds: 0 }
  return {
    isOver: (round: number) => retrying !== undefined && round >= MAX_TRIES,
    isLong: rounds > 0,
    longestMs: () => longestInLine(performance.now() - sinceMs),
  }
}
