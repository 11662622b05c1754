// Records a user's comments that are pending approval.
import { type Action, CONFLICT } from '../../table/action.ts'
import { setMembers } from '../../table/change.ts'
import { isAsRead } from '../../table/conditions.ts'
import { pendingKey } from '../../table/design.ts'
import type { CommentState } from '../comment.ts'
import type { PendingComments } from '../store/pending.ts'

/** Adds a comment to those that were read. Fails with CONFLICT if they have changed since. */
export function addPending(
  userId: number,
  pending: PendingComments,
  { post_id, path }: CommentState,
): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: pendingKey(userId),
      ...setMembers(
        {
          comments: [
            ...(pending?.comments ?? []).map(({ post_id, path }) => ({ post_id, path })),
            { post_id, path },
          ],
          revision: (pending?.revision ?? 0) + 1,
        },
        isAsRead(pending),
      ),
    },
  }
}
