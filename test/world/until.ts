// Bounded waits on a condition, instead of sleeps.
import { setTimeout as pause } from 'node:timers/promises'

/** Two minutes: what takes longer hangs, on a machine with other work, too. */
const HANGS_AFTER_MS = 120_000

/** Asks again every few milliseconds until there is something; fails after `timeoutMs` with what was awaited. */
export const until = async <T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = HANGS_AFTER_MS,
): Promise<T> => {
  const started = performance.now()
  for (;;) {
    const found = await ask()
    if (found !== undefined && found !== false) return found
    if (performance.now() - started > timeoutMs)
      throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`)
    await pause(10)
  }
}
