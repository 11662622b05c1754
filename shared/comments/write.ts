// The writes of a comment's two records, each under the condition that makes it right.
import type { Post } from '../posts/post.ts'
import { type Action, STALE } from '../table/action.ts'
import { commentKey, postKey, threadKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import type { Known, Standing, Words } from './comment.ts'

export const putComment = (words: Words, standing: Standing): Action[] => [
  { Put: { Item: { ...commentKey(words.id), ...words }, ConditionExpression: 'attribute_not_exists(pk)' } },
  { Put: { Item: { ...keyOf(standing), ...standing }, ConditionExpression: 'attribute_not_exists(pk)' } },
]

export const changeStanding = (before: Standing, after: Standing): Action => ({
  refused: STALE,
  Put: { Item: { ...keyOf(after), ...after }, ...unchanged(before) },
})

export const removeComment = (before: Standing): Action[] => [
  { refused: STALE, Delete: { Key: keyOf(before), ...unchanged(before) } },
  { Delete: { Key: commentKey(before.id) } },
]

/** The parent of a new comment: from now on what happens to it happens to more than itself. */
export const gainReply = (parent: Standing): Action => ({
  refused: STALE,
  Update: {
    Key: keyOf(parent),
    UpdateExpression: 'SET has_replies = :true',
    ...sameStatus(parent, { ':true': true }),
  },
})

/** All that stands above those that are written must be as it was read, or missing as it was; each is asked once. */
export const requireAbove = (written: Standing[], known: Known): Action[] => {
  const asked = new Map<number, Action>()
  const own = new Set(written.map(({ id }) => id))
  for (const { post_id, path } of written)
    for (const [n, id] of path.entries())
      if (!own.has(id)) asked.set(id, requireAsRead(threadKey(post_id, path.slice(0, n + 1)), known.get(id)))
  return [...asked.values()]
}

const requireAsRead = (Key: Key, read: Standing | undefined): Action => ({
  refused: STALE,
  ConditionCheck: { Key, ...(read ? sameStatus(read) : { ConditionExpression: 'attribute_not_exists(pk)' }) },
})

/** The post is still the one that was read. */
export const requireSame = ({ id, revision }: Post): Action => ({
  refused: STALE,
  ConditionCheck: {
    Key: postKey(id),
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': revision },
  },
})

const keyOf = ({ post_id, path }: Standing) => threadKey(post_id, path)

const sameStatus = ({ status }: Standing, more: Record<string, unknown> = {}) => ({
  ConditionExpression: '#status = :status',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': status, ...more },
})

const unchanged = ({ status, is_listed, has_replies }: Standing) => ({
  ConditionExpression: '#status = :status AND is_listed = :listed AND has_replies = :replies',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': status, ':listed': is_listed, ':replies': has_replies },
})
