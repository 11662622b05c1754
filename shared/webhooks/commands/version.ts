// Raises the version of the subscriptions, and marks those that are slow.
import type { Update } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { withDeadline } from '../../table/deadline.ts'
import { subscriptionsKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
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

const markersOf = perTable(table =>
  combine(async (marked: { id: number; nowMs: number }[]) => {
    const nowMs = marked.at(-1)?.nowMs ?? 0
    const before = lastSlow(table)
    const ids = marked.map(({ id }) => id)
    const slow = withSlow(before, ids, nowMs)
    if (slow !== before) {
      await table.write({
        Update: {
          Key: subscriptionsKey,
          UpdateExpression: 'SET slow = :slow',
          ExpressionAttributeValues: { ':slow': slow },
        },
      })
    }
    return marked
  }),
)

/**
 * Marks a subscription whose receiver did not answer, so that its next messages carry no other subscription.
 * Two functions may overwrite each other's marks: the next time-out marks again.
 */
export async function markSlow(table: Table, id: number, nowMs: number): Promise<void> {
  await withDeadline(() => markersOf(table)({ id, nowMs }), MARK_TIMEOUT_MS).catch(() => undefined)
}
