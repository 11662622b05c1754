// The lock on the search index: one run of the index worker, or one reindex, writes at a time. Two together
// would fail each other's transactions, since nearly all posts share some terms.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { withDeadline } from '../../table/deadline.ts'
import { writerLockKey } from '../../table/design.ts'
import { isBusy } from '../../table/retrying.ts'
import { findLock } from '../store/writer-lock.ts'

const POLL_MS = 100
/** Well below the timeout of a run, because a reindex holds the lock for minutes. */
const LONGEST_WAIT_MS = 40_000
/** A run that was killed blocks the next one for at most this long. */
const LOCKED_MS = 10_000
const RENEW_AFTER_MS = 2_000
/** What remains of the lock just before a renewal, less the time of the write's last call. */
const WRITE_MS = 5_000

/** Runs one write and renews the lock when needed. Throws when the lock was lost. */
export type RunLocked = <T>(write: () => Promise<T>) => Promise<T>

type LockRequest = { holder: string; nowMs: number; untilMs: number; isRun: boolean }

/**
 * Runs `work` while holding the lock. Another writer can take over the lock if this one pauses for longer
 * than it lasts.
 */
export async function withWriterLock<T>(
  table: Table,
  nowMs: number,
  work: (runLocked: RunLocked) => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const startedMs = performance.now()
  const request = (): LockRequest => {
    const atNowMs = Math.floor(nowMs + performance.now() - startedMs)
    return { holder, nowMs: atNowMs, untilMs: atNowMs + LOCKED_MS, isRun: true }
  }
  while (!(await acquireWhenFree(table, request()))) {
    if (performance.now() - startedMs > LONGEST_WAIT_MS) {
      throw new Error(
        'Another writer, perhaps a reindex, holds the search index. This run is repeated later.',
      )
    }
    await pause(POLL_MS * (0.5 + Math.random()))
  }
  let renewedMs = performance.now()
  const runLocked: RunLocked = async write => {
    const atMs = performance.now()
    if (atMs - renewedMs > RENEW_AFTER_MS) {
      if (!(await renewLock(table, request()))) {
        throw new Error('This run paused for too long and lost its lock on the search index.')
      }
      renewedMs = atMs
    }
    return await withDeadline(write, WRITE_MS)
  }
  try {
    return await work(runLocked)
  } finally {
    await releaseLock(table, holder).catch(ignoreBusy)
  }
}

/** A lock that could not be released expires. */
function ignoreBusy(error: unknown): void {
  if (!isBusy(error)) throw error
}

/** Reads first: a read costs less than a failed write. */
async function acquireWhenFree(table: Table, request: LockRequest): Promise<boolean> {
  const lock = await findLock(table)
  return (!lock || lock.until_ms <= request.nowMs) && (await acquireLock(table, request))
}

/** Returns false when another writer holds the lock. */
export function acquireLock(table: Table, request: LockRequest): Promise<boolean> {
  return putLock(table, request, 'attribute_not_exists(pk) OR until_ms <= :now OR holder = :me')
}

/** Returns false when the lock has expired: another writer may have held it since. */
export function renewLock(table: Table, request: LockRequest): Promise<boolean> {
  return putLock(table, request, 'until_ms > :now AND holder = :me')
}

async function putLock(
  table: Table,
  { holder, nowMs, untilMs, isRun }: LockRequest,
  ConditionExpression: string,
): Promise<boolean> {
  try {
    await table.write({
      Put: {
        Item: { ...writerLockKey, holder, until_ms: untilMs, is_run: isRun },
        ConditionExpression,
        ExpressionAttributeValues: { ':me': holder, ':now': nowMs },
      },
    })
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

export function releaseLock(table: Table, holder: string): Promise<void> {
  return table
    .write({
      Delete: {
        Key: writerLockKey,
        ConditionExpression: 'holder = :me',
        ExpressionAttributeValues: { ':me': holder },
      },
    })
    .catch(ignoreConditionFailed)
}
