// Waiting for a condition instead of for a time.
import { vi } from 'vitest'

/** Settles when the assertions in it hold; fails with the last one that did not after ten seconds. */
export function eventually(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: 10_000, interval: 10 })
}
