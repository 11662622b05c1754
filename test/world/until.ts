// Bounded waits on a condition, instead of sleeps.
import { setTimeout as pause } from 'node:timers/promises'

/** Two minutes: what takes longer hangs, on a machine with other work, too. */
const HANGS_AFTER_MS = 120_000

/** Asking takes from what is awaited: the longer it lasts, the rarer. */
function pauseMs(waitedMs: number) {
  return Math.min(100, 5 + waitedMs / 5)
}

/** Asks again and again until there is something; fails after `timeoutMs` with what was awaited. */
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
    if (waitedMs > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`)
    await pause(pauseMs(waitedMs))
  }
}
