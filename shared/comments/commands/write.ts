// The writes of a comment's two records, each under the condition that makes it right.

import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { isNew } from '../../table/conditions.ts'
import { commentKey, postKey, threadKey } from '../../table/design.ts'
import type { Key } from '../../table/key.ts'
import type { CommentContent, CommentState, StatesById } from '../comment.ts'

export function putComment(words: CommentContent, standing: CommentState): Action[] {
  return [
    { Put: { Item: { ...commentKey(words.id), ...words }, ...isNew } },
    { Put: { Item: { ...keyOf(standing), ...standing }, ...isNew } },
  ]
}

export function changeState(before: CommentState, after: CommentState): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...keyOf(after), ...after }, ...unchanged(before) },
  }
}

export function removeComment(before: CommentState): Action[] {
  return [
    { onConditionFailed: CONFLICT, Delete: { Key: keyOf(before), ...unchanged(before) } },
    { Delete: { Key: commentKey(before.id) } },
  ]
}

/** The parent of a new comment: from now on what happens to it happens to more than itself. */
export function markReplied(parent: CommentState): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: keyOf(parent),
      UpdateExpression: 'SET has_replies = :true',
      ...sameStatus(parent, { ':true': true }),
    },
  }
}

/** All that stands above those that are written must be as it was read, or missing as it was; each is asked once. */
export function requireAncestors(written: CommentState[], known: StatesById): Action[] {
  const asked = new Map<number, Action>()
  const own = new Set(written.map(({ id }) => id))
  for (const { post_id, path } of written) {
    for (const [n, id] of path.entries()) {
      if (!own.has(id)) asked.set(id, requireAsRead(threadKey(post_id, path.slice(0, n + 1)), known.get(id)))
    }
  }
  return [...asked.values()]
}

function requireAsRead(Key: Key, read: CommentState | undefined): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key,
      ...(read ? sameStatus(read) : isNew),
    },
  }
}

/** The post is still the one that was read. */
export function requireSamePost({ id, revision }: Post): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key: postKey(id),
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: { ':revision': revision },
    },
  }
}

function keyOf({ post_id, path }: CommentState) {
  return threadKey(post_id, path)
}

function sameStatus({ status }: CommentState, more: Record<string, unknown> = {}) {
  return {
    ConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ...more },
  }
}

function unchanged({ status, is_listed, has_replies }: CommentState) {
  return {
    ConditionExpression: '#status = :status AND is_listed = :listed AND has_replies = :replies',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ':listed': is_listed, ':replies': has_replies },
  }
}
