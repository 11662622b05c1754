// Threads on the move. A comment may have ten thousand replies, and one change hides, shows or deletes them all,
// at once for every reader and in one small transaction. So the change marks the post as moving, and `tidy` sets
// the lists right in steps and takes the mark away. Until then nobody trusts a list with what it may lag behind:
// readers of the post judge its standings themselves, which are right at all times; readers of other lists, in
// which only what was deleted can be wrong, leave that out.
import { randomUUID } from 'node:crypto'
import type { Message } from '../../events/message.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { recountKey } from '../../table/design.ts'
import type { DeletedPart, ThreadRecount } from '../store/recounts.ts'

type RecountChange = { actions: Action[]; messages: Message[] }
export const NO_RECOUNT: RecountChange = { actions: [], messages: [] }

/** For the transaction of a change: the mark, and the message that has the lists set right. */
export function startRecount(post_id: number, gone: DeletedPart): RecountChange {
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

/** A step of the tidying: refused when there was another change meanwhile. */
export function recountStep({ post_id, stamp }: ThreadRecount): Action {
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
