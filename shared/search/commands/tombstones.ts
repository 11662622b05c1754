// Tombstones hide posts from searches as soon as they leave public view, before the index is updated.
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { unindexedKey } from '../../table/design.ts'
import { belongsInIndex } from '../document.ts'

/** Include in the transaction that writes the post. */
export function tombstoneActions(before: Post | null, after: Post | null): Action[] {
  if (!belongsInIndex(before) || belongsInIndex(after)) return []
  return [{ Put: { Item: { ...unindexedKey(before.id), revision: before.revision + 1 } } }]
}

/** Keeps the tombstone of a later revision, at which the post has left public view again. */
export function deleteTombstone(table: Table, postId: number, revision: number): Promise<void> {
  return table
    .write({
      onConditionFailed: CONFLICT,
      Delete: {
        Key: unindexedKey(postId),
        ConditionExpression: 'revision = :r',
        ExpressionAttributeValues: { ':r': revision },
      },
    })
    .catch(ignoreConditionFailed)
}
