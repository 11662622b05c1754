// The lock of a rebuild: while it is held, the index worker leaves all changes pending.
import { ConditionFailed, ignoreConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { rebuildLockKey } from '../../table/design.ts'

type LockRequest = { holder: string; nowMs: number; untilMs: number }

/** Returns false when another rebuild holds the lock. */
export function acquireLock(table: Table, request: LockRequest): Promise<boolean> {
  return putLock(table, request, 'attribute_not_exists(pk) OR until_ms <= :now OR holder = :me')
}

/** Returns false when the lock has expired: another writer may have held it since. */
export function renewLock(table: Table, request: LockRequest): Promise<boolean> {
  return putLock(table, request, 'until_ms > :now AND holder = :me')
}

async function putLock(
  table: Table,
  { holder, nowMs, untilMs }: LockRequest,
  ConditionExpression: string,
): Promise<boolean> {
  try {
    await table.write({
      Put: {
        Item: { ...rebuildLockKey, holder, until_ms: untilMs },
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
        Key: rebuildLockKey,
        ConditionExpression: 'holder = :me',
        ExpressionAttributeValues: { ':me': holder },
      },
    })
    .catch(ignoreConditionFailed)
}
