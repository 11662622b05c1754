// The writes of a comment's two records, with the conditions under which they are valid.
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { changeOf } from '../../table/change.ts'
import { isNew } from '../../table/conditions.ts'
import { commentKey, postKey, threadKey } from '../../table/design.ts'
import type { Key } from '../../table/key.ts'
import type { CommentContent, CommentState, StatesById } from '../comment.ts'

export function putComment(content: CommentContent, state: CommentState): Action[] {
  return [
    { Put: { Item: { ...commentKey(content.id), ...content }, ...isNew } },
    { Put: { Item: { ...keyOf(state), ...state }, ...isNew } },
  ]
}

export function changeState(before: CommentState, after: CommentState): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: keyOf(after), ...changeOf(before, after, unchanged(before)) },
  }
}

export function removeComment(before: CommentState): Action[] {
  return [
    { onConditionFailed: CONFLICT, Delete: { Key: keyOf(before), ...unchanged(before) } },
    { Delete: { Key: commentKey(before.id) } },
  ]
}

/** Marks the parent of a new reply, so that a later change of the parent starts a recount. */
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

/** Checks that the ancestors of the written comments still have, or still lack, the states that were read. */
export function ifAncestorsUnchanged(written: CommentState[], states: StatesById): Action[] {
  const checks = new Map<number, Action>()
  const own = new Set(written.map(({ id }) => id))
  for (const { post_id, path } of written) {
    for (const [n, id] of path.entries()) {
      const key = threadKey(post_id, path.slice(0, n + 1))
      if (!own.has(id)) checks.set(id, ifStateUnchanged(key, states.get(id)))
    }
  }
  return [...checks.values()]
}

function ifStateUnchanged(Key: Key, before: CommentState | undefined): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key,
      ...(before ? sameStatus(before) : isNew),
    },
  }
}

/** Checks that the post has not changed since it was read. */
export function ifPostUnchanged({ id, revision }: Post): Action {
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

function sameStatus({ status }: CommentState, values: Record<string, unknown> = {}) {
  return {
    ConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ...values },
  }
}

function unchanged({ status, is_listed, has_replies }: CommentState) {
  return {
    ConditionExpression: '#status = :status AND is_listed = :listed AND has_replies = :replies',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ':listed': is_listed, ':replies': has_replies },
  }
}
