// Threads on the move. A comment may have ten thousand replies, and one change hides, shows or deletes them all,
// at once for every reader and in one small transaction. So the change marks the post as moving, and `tidy` sets
// the lists right in steps and takes the mark away. Until then nobody trusts a list with what it may lag behind:
// readers of the post judge its standings themselves, which are right at all times; readers of other lists, in
// which only what was deleted can be wrong, leave that out.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Message } from '../../events/message.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { RECOUNT_PARTITION, recountKey } from '../../table/design.ts'

/** What is gone though it still stands in lists: nothing, the comments below a deleted one, all of the post's. */
const Gone = z.enum(['nothing', 'orphans', 'all'])
type Gone = z.infer<typeof Gone>

export const ThreadRecount = z.object({
  post_id: z.int(),
  gone: Gone,
  /** Of the last change that moved anything: steps for an older one are not taken any more. */
  stamp: z.string(),
  /** Raised by every step, so that readers notice one between their reads. */
  steps: z.int(),
})
export type ThreadRecount = z.infer<typeof ThreadRecount>

type Move = { actions: Action[]; messages: Message[] }
export const NO_RECOUNT: Move = { actions: [], messages: [] }

/** For the transaction of a change: the mark, and the message that has the lists set right. */
export function startRecount(post_id: number, gone: Gone): Move {
  const stamp = randomUUID()
  const kept = gone === 'nothing' ? 'gone = if_not_exists(gone, :gone)' : 'gone = :gone'
  const Update = {
    Key: recountKey(post_id),
    UpdateExpression: `SET post_id = :post, stamp = :stamp, steps = if_not_exists(steps, :zero), ${kept}`,
    ExpressionAttributeValues: { ':post': post_id, ':stamp': stamp, ':zero': 0, ':gone': gone },
  }
  return {
    actions: [{ Update }],
    messages: [{ queue: 'tidy', body: { kind: 'comments', post_id, stamp, from: [] } }],
  }
}

export function findRecount(table: Table, postId: number): Promise<ThreadRecount | undefined> {
  return table.find(recountKey(postId), ThreadRecount)
}

/** Posts of which something is gone that still stands in lists. */
export async function listGone(table: Table): Promise<ThreadRecount[]> {
  return (await table.query({ pk: RECOUNT_PARTITION }, ThreadRecount)).filter(
    ({ gone }) => gone !== 'nothing',
  )
}

/** A step of the tidying: refused when there was another change meanwhile. */
export function stepOf({ post_id, stamp }: ThreadRecount): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: recountKey(post_id),
      UpdateExpression: 'SET steps = steps + :one',
      ConditionExpression: 'stamp = :stamp',
      ExpressionAttributeValues: { ':stamp': stamp, ':one': 1 },
    },
  }
}

/** The last step: every list is right again. */
export function endRecount(table: Table, { post_id, stamp }: ThreadRecount): Promise<void> {
  return table.write({
    onConditionFailed: CONFLICT,
    Delete: {
      Key: recountKey(post_id),
      ConditionExpression: 'stamp = :stamp',
      ExpressionAttributeValues: { ':stamp': stamp },
    },
  })
}
