// The writes of a comment's two records, with the conditions under which they are valid.
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { changeOf } from '../../table/change.ts'
import { isNew } from '../../table/conditions.ts'
import { commentKey, postKey, threadKey } from '../../table/design.ts'
import type { CommentContent, CommentState } from '../comment.ts'

export function putComment(content: CommentContent, state: CommentState): Action[] {
  return [
    { Put: { Item: { ...commentKey(content.id), ...content }, ...isNew } },
    { Put: { Item: { ...keyOf(state), ...state }, ...isNew } },
  ]
}

export function changeState(before: CommentState, after: CommentState): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: keyOf(after), ...changeOf(before, after, sameStatus(before)) },
  }
}

export function removeComment(before: CommentState): Action[] {
  return [
    { onConditionFailed: CONFLICT, Delete: { Key: keyOf(before), ...sameStatus(before) } },
    { Delete: { Key: commentKey(before.id) } },
  ]
}

/** Checks that the comment still exists with the status that was read. */
export function ifStatusUnchanged(state: CommentState): Action {
  return { onConditionFailed: CONFLICT, ConditionCheck: { Key: keyOf(state), ...sameStatus(state) } }
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

function sameStatus({ status }: CommentState) {
  return {
    ConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
  }
}
