// The lock on the search index during a rebuild. It is renewed on the way and expires if this process dies.
import { randomUUID } from 'node:crypto'
import { acquireLock, releaseLock, renewLock } from '../../../shared/search/commands/rebuild-lock.ts'
import type { Table } from '../../../shared/table/client.ts'
import { OperatorError } from '../operator-error.ts'

const LOCKED_MS = 120_000
const RENEW_AFTER_MS = 20_000

export type RebuildLock = {
  /** Call before each write. Throws OperatorError if the lock expired while the process was stopped. */
  renew: () => Promise<void>
  release: () => Promise<void>
}

/** Throws OperatorError while another holder has the lock. With the same name, an interrupted one goes on. */
export async function acquireRebuildLock(
  table: Table,
  nowMs: number,
  holder: string = randomUUID(),
): Promise<RebuildLock> {
  const sinceMs = performance.now()
  let renewedMs = sinceMs
  const lockAt = (atMs: number) => {
    const atNowMs = Math.floor(nowMs + atMs - sinceMs)
    return { holder, nowMs: atNowMs, untilMs: atNowMs + LOCKED_MS }
  }
  if (!(await acquireLock(table, lockAt(sinceMs)))) {
    throw new OperatorError(
      'Another reindex or import is running, or was interrupted. Try again two minutes after it stopped.',
    )
  }
  const renew = async () => {
    const atMs = performance.now()
    if (atMs - renewedMs < RENEW_AFTER_MS) return
    if (!(await renewLock(table, lockAt(atMs)))) {
      throw new OperatorError('This reindex was stopped for so long that its lock expired. Run it again.')
    }
    renewedMs = atMs
  }
  return { renew, release: () => releaseLock(table, holder) }
}
