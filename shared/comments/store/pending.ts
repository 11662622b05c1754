// Reads and limits a user's pending comments, since each fires an event and must be moderated.
import * as z from 'zod/mini'
import { ApiError } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { pendingKey, threadKey } from '../../table/design.ts'
import { CommentState } from '../comment.ts'

export const MAX_PENDING = 20

/** An hour, because it is unknown when an admin will decide. */
const RETRY_AFTER_SECONDS = 3_600

const PendingItem = z.object({
  comments: z.array(z.pick(CommentState, { post_id: true, path: true })),
  revision: z.int(),
})

/** The user's newest submissions, some of which may have been decided; undefined before the first one. */
export type PendingComments = z.infer<typeof PendingItem> | undefined

/**
 * Throws RATE_LIMITED if 20 comments of the user are pending approval. Reads their states only if 20 are
 * recorded, because moderating a comment does not update this record.
 */
export async function findPending(table: Table, userId: number): Promise<PendingComments> {
  const pending = await table.find(pendingKey(userId), PendingItem)
  if (!pending || pending.comments.length < MAX_PENDING) return pending
  const items = await table.findMany(pending.comments.map(({ post_id, path }) => threadKey(post_id, path)))
  const comments = items.map(item => CommentState.parse(item)).filter(({ status }) => status === 'pending')
  if (comments.length < MAX_PENDING) return { ...pending, comments }
  throw new ApiError(
    'RATE_LIMITED',
    `${MAX_PENDING} of your comments are pending approval. Try again after some of them have been approved or rejected.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
