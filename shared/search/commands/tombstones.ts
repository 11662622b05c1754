// Tombstones: posts that have left public view and that the index may still contain.
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { unindexedKey } from '../../table/design.ts'
import { isIndexed } from '../doc.ts'

/** Beside a write of the post: what leaves public view is left out of every find at once. */
export function unindexedActions(before: Post | null, after: Post | null): Action[] {
  if (!isIndexed(before) || isIndexed(after)) return []
  return [{ Put: { Item: { ...unindexedKey(before.id), revision: before.revision + 1 } } }]
}

/** A post that was taken away once more since is still left out. */
export async function dropUnindexed(table: Table, postId: number, revision: number): Promise<void> {
  try {
    await table.write({
      onConditionFailed: CONFLICT,
      Delete: {
        Key: unindexedKey(postId),
        ConditionExpression: 'revision = :r',
        ExpressionAttributeValues: { ':r': revision },
      },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
