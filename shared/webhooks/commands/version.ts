// Raises the version of the subscriptions, and marks those that are slow.
import type { Update } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { withDeadline } from '../../table/deadline.ts'
import { subscriptionsKey } from '../../table/design.ts'
import { lastSlow } from '../store/subscribers.ts'
import { withSlow } from '../webhook.ts'

/** Add this to each transaction that writes a subscription: copies in memory are then read again. */
export function raiseVersion(): { Update: Update } {
  return {
    Update: {
      Key: subscriptionsKey,
      UpdateExpression: 'ADD version :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  }
}

/** A mark that fails is missed only until the next time-out. */
const MARK_TIMEOUT_MS = 1_000

/**
 * Marks a subscription whose receiver did not answer, so that its next messages carry no other subscription.
 * Two functions may overwrite each other's marks: the next time-out marks again.
 */
export async function markSlow(table: Table, id: number, nowMs: number): Promise<void> {
  const before = lastSlow(table)
  const slow = withSlow(before, [id], nowMs)
  if (slow === before) return
  const Update = {
    Key: subscriptionsKey,
    UpdateExpression: 'SET slow = :slow',
    ExpressionAttributeValues: { ':slow': slow },
  }
  await withDeadline(() => table.write({ Update }), MARK_TIMEOUT_MS).catch(() => undefined)
}
