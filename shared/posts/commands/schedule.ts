// Keeps the row of a scheduled post in step with the post.
import type { Action } from '../../table/action.ts'
import { scheduledKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import type { Post } from '../post.ts'
import { ScheduledRow } from '../store/scheduled.ts'

/** The row exists from the scheduling of a published post to its announcement. */
function rowOf(post: Post | null): Item | undefined {
  const row = post && !post.announced ? ScheduledRow.safeParse(post).data : undefined
  return row && { ...scheduledKey(row.posted_at, row.id), ...row }
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const [was, is] = [rowOf(before), rowOf(after)]
  const put: Action[] = is ? [{ Put: { Item: is } }] : []
  return was && was.sk !== is?.sk ? [{ Delete: { Key: { pk: was.pk, sk: was.sk } } }, ...put] : put
}
