// Waits for a condition, with a time-out, instead of sleeping.
import { setTimeout as pause } from 'node:timers/promises'

/** Even on a slow and busy machine, nothing that tests wait for takes longer. */
const HANGS_AFTER_MS = 600_000

/** The longer the wait, the rarer the checks, because they cost CPU time as well. */
function pauseMs(waitedMs: number) {
  return Math.min(100, 5 + waitedMs / 5)
}

/** Repeats `check` until it returns a value. Fails after `timeoutMs` with `what`. */
export async function until<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = HANGS_AFTER_MS,
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const found = await check()
    if (found !== undefined && found !== false) return found
    const waitedMs = performance.now() - started
    if (waitedMs > timeoutMs) throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}.`)
    await pause(pauseMs(waitedMs))
  }
}

/** The first answer that is not 503, which a busy machine gives. */
export function patiently<A extends { status: number }>(send: () => Promise<A>): Promise<A> {
  return until('a service that is not too busy', async () => {
    const answer = await send()
    return answer.status !== 503 && answer
  })
}
