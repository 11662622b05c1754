// Reads a user's comments that await approval, and limits their number.
import * as z from 'zod/mini'
import { ApiError } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { pendingKey, threadKey } from '../../table/design.ts'
import { CommentState } from '../comment.ts'

export const MOST_PENDING = 20

/** Nobody knows when somebody approves one: a client that asks again does so once an hour. */
const RETRY_AFTER_SECONDS = 3_600

const Pending = z.object({
  comments: z.array(z.pick(CommentState, { post_id: true, path: true })),
  revision: z.int(),
})

/** The submitted comments of a user of which some may be decided by now; undefined before the first one. */
export type PendingComments = z.infer<typeof Pending> | undefined

/**
 * What is known of the user's pending comments, at most 20. Only when there are 20 is it looked up which of them
 * still wait: approving, rejecting and deleting need not know of this record. Throws RATE_LIMITED when all of them do.
 */
export async function findPending(table: Table, userId: number): Promise<PendingComments> {
  const pending = await table.find(pendingKey(userId), Pending)
  if (!pending || pending.comments.length < MOST_PENDING) return pending
  const items = await table.findMany(pending.comments.map(({ post_id, path }) => threadKey(post_id, path)))
  const comments = items.map(item => CommentState.parse(item)).filter(({ status }) => status === 'pending')
  if (comments.length < MOST_PENDING) return { ...pending, comments }
  throw new ApiError(
    'RATE_LIMITED',
    `${MOST_PENDING} of your comments wait for approval. Try again when some of them were approved or rejected.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
