// Keeps the row of a scheduled post in step with the post.
import type { Action } from '../../table/action.ts'
import { setMembers } from '../../table/change.ts'
import { scheduledKey } from '../../table/design.ts'
import type { Key } from '../../table/key.ts'
import type { Post } from '../post.ts'
import { ScheduledRow } from '../store/scheduled.ts'

/** A scheduled post has a row until its publication is announced. */
function rowOf(post: Post | null): { key: Key; row: ScheduledRow } | undefined {
  const row = post && !post.announced ? ScheduledRow.safeParse(post).data : undefined
  return row && { key: scheduledKey(row.posted_at, row.id), row }
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const [old, next] = [rowOf(before), rowOf(after)]
  if (old && old.key.sk === next?.key.sk) {
    return [{ Update: { Key: next.key, ...setMembers(next.row) } }]
  }
  return [
    ...(old ? [{ Delete: { Key: old.key } }] : []),
    ...(next ? [{ Put: { Item: { ...next.key, ...next.row } } }] : []),
  ]
}
