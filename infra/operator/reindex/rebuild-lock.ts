// The lock on the search index during a rebuild. It is renewed on the way and expires if this process dies.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { acquireLock, releaseLock, renewLock } from '../../../shared/search/commands/writer-lock.ts'
import { isReindexRunning } from '../../../shared/search/store/writer-lock.ts'
import type { Table } from '../../../shared/table/client.ts'
import { OperatorError } from '../operator-error.ts'

const LOCKED_MS = 120_000
const RENEW_AFTER_MS = 20_000
/** Short, because the index worker releases the lock only for moments. */
const RETRY_MS = 50

export type RebuildLock = {
  /** Marks the items of this rebuild. */
  build: string
  sinceMs: number
  /** Call before each write. Throws OperatorError if the lock expired while the process was stopped. */
  renew: () => Promise<void>
  release: () => Promise<void>
}

/** Waits for a run of the index worker. Throws OperatorError while another reindex has the lock. */
export async function acquireRebuildLock(table: Table, nowMs: number): Promise<RebuildLock> {
  const build = randomUUID()
  const sinceMs = performance.now()
  let renewedMs = sinceMs
  const lockAt = (atMs: number) => {
    const atNowMs = Math.floor(nowMs + atMs - sinceMs)
    return { holder: build, nowMs: atNowMs, untilMs: atNowMs + LOCKED_MS, isRun: false }
  }
  while (!(await acquireLock(table, lockAt(performance.now())))) {
    if (await isReindexRunning(table)) {
      throw new OperatorError(
        'Another reindex is running, or was interrupted. Try again two minutes after it stopped.',
      )
    }
    await pause(RETRY_MS)
  }
  const renew = async () => {
    const atMs = performance.now()
    if (atMs - renewedMs < RENEW_AFTER_MS) return
    if (!(await renewLock(table, lockAt(atMs)))) {
      throw new OperatorError('This reindex was stopped for so long that its lock expired. Run it again.')
    }
    renewedMs = atMs
  }
  return { build, sinceMs, renew, release: () => releaseLock(table, build) }
}
