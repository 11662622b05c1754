// Waits until functions that have seen a version remember what they read under it.
import { SETTLED_AFTER_MS } from '../../shared/cache/version.ts'
import { until } from './until.ts'

export async function versionIsSettled(): Promise<void> {
  const seenMs = performance.now()
  await until('the version to be settled', () => performance.now() - seenMs > SETTLED_AFTER_MS)
}
