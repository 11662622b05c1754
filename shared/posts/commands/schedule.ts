// Keeps the row of a scheduled post in step with the post.
import type { Action } from '../../table/action.ts'
import { scheduledKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import type { Post } from '../post.ts'
import { ScheduledRow } from '../store/scheduled.ts'

/** A scheduled post has a row until its publication is announced. */
function rowOf(post: Post | null): Item | undefined {
  const row = post && !post.announced ? ScheduledRow.safeParse(post).data : undefined
  return row && { ...scheduledKey(row.posted_at, row.id), ...row }
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const [oldRow, newRow] = [rowOf(before), rowOf(after)]
  const put: Action[] = newRow ? [{ Put: { Item: newRow } }] : []
  if (!oldRow || oldRow.sk === newRow?.sk) return put
  return [{ Delete: { Key: { pk: oldRow.pk, sk: oldRow.sk } } }, ...put]
}
