// Keeps the row of a scheduled post in step with the post.

import type { Action } from '../../table/action.ts'
import { scheduledKey } from '../../table/design.ts'
import type { Post } from '../post.ts'
import type { ScheduledRow } from '../store/scheduled.ts'

/** A published post stands here from its scheduling to its announcement. */
function isScheduled(post: Post | null): post is Post & { posted_at: number } {
  return post?.is_published === true && post.posted_at !== null && !post.announced
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const was = isScheduled(before) ? scheduledKey(before.posted_at, before.id) : undefined
  const is = isScheduled(after) ? scheduledKey(after.posted_at, after.id) : undefined
  const put: Action[] = isScheduled(after)
    ? [{ Put: { Item: { ...scheduledKey(after.posted_at, after.id), ...rowOf(after) } } }]
    : []
  return was && was.sk !== is?.sk ? [{ Delete: { Key: was } }, ...put] : put
}

function rowOf({
  id,
  title,
  posted_at,
  content_type,
  category_ids,
}: Post & { posted_at: number }): ScheduledRow {
  return {
    id,
    title,
    is_published: true,
    posted_at,
    content_type,
    category_ids,
  }
}
