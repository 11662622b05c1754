// Starts and ends recounts of threads, which correct lists in the background. README.md explains them.
import { randomUUID } from 'node:crypto'
import type { Message } from '../../events/message.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { recountKey } from '../../table/design.ts'
import type { DeletedPart, ThreadRecount } from '../store/recounts.ts'

type RecountChange = { actions: Action[]; messages: Message[] }
export const NO_RECOUNT: RecountChange = { actions: [], messages: [] }

/** Include in the transaction of a change: the marker of the recount and the message that starts it. */
export function startRecount(post_id: number, gone: DeletedPart): RecountChange {
  const stamp = randomUUID()
  const setGone = gone === 'nothing' ? 'gone = if_not_exists(gone, :gone)' : 'gone = :gone'
  const Update = {
    Key: recountKey(post_id),
    UpdateExpression: `SET post_id = :post, stamp = :stamp, steps = if_not_exists(steps, :zero), ${setGone}`,
    ExpressionAttributeValues: { ':post': post_id, ':stamp': stamp, ':zero': 0, ':gone': gone },
  }
  return {
    actions: [{ Update }],
    messages: [{ queue: 'tidy', body: { kind: 'comments', post_id, stamp, from: [] } }],
  }
}

/** Include in the transaction of each batch. Fails with CONFLICT after a newer change. */
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

/** Removes the marker once all lists are correct. */
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
