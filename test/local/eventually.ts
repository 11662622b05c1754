// Waiting for a condition instead of for a time.
import { vi } from 'vitest'

/** Settles when the assertions in it hold; fails with the last one that did not after two minutes. */
export function eventually(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: 120_000, interval: 10 })
}
