// How long a piece of work may be tried again: all that belongs to one request or message shares one deadline.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Far below the 20 s of an API function, so that a caller gets a clear answer. */
const PATIENCE_MS = 8_000

const deadline = new AsyncLocalStorage<number>()

const untilMs = (patienceMs: number): number =>
  Math.min(performance.now() + patienceMs, deadline.getStore() ?? Number.POSITIVE_INFINITY)

/** Nothing that `run` does is tried again after this time, or after that of what it is a part of. */
export const withPatience = <T>(run: () => T, patienceMs = PATIENCE_MS): T =>
  deadline.run(untilMs(patienceMs), run)

/** Begins something that may be tried again: the answer tells whether there is time for one more try. */
export const startPatience = (patienceMs = PATIENCE_MS): (() => boolean) => {
  const endMs = untilMs(patienceMs)
  return () => performance.now() < endMs
}
