// The deadline of retries, shared by everything that belongs to one request or message.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Far below the 20 s of an API function, so that the caller gets a clear answer. */
const DEADLINE_MS = 8_000

const endOfAll = new AsyncLocalStorage<number>()

function endIn(timeoutMs: number): number {
  return Math.min(performance.now() + timeoutMs, endOfAll.getStore() ?? Number.POSITIVE_INFINITY)
}

/** Stops all retries inside `run` after this time, or at the enclosing deadline if that is sooner. */
export function withDeadline<T>(run: () => T, timeoutMs = DEADLINE_MS): T {
  return endOfAll.run(endIn(timeoutMs), run)
}

/** Starts a deadline. The returned function says whether there is time for one more attempt. */
export function startDeadline(timeoutMs = DEADLINE_MS): () => boolean {
  const endMs = endIn(timeoutMs)
  return () => performance.now() < endMs
}
