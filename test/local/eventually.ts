// Waits for a condition instead of a fixed time.
import { vi } from 'vitest'

/** Resolves when all assertions in `holds` pass. Rejects with the last failure after two minutes. */
export function eventually(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: 120_000, interval: 10 })
}
