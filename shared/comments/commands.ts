// Creates, moderates, erases and deletes comments.

import { findAuthors } from '../accounts/store/users.ts'
import { DELETED_USER } from '../accounts/user.ts'
import type { StepMessage } from '../events/message.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { invalid, notFound } from '../http/errors.ts'
import { type Reply, reply } from '../http/reply.ts'
import { writeWithLists } from '../lists/counted-list.ts'
import { clearList } from '../lists/walk.ts'
import type { Post } from '../posts/post.ts'
import {
  type Action,
  CONFLICT,
  changeOf,
  exists,
  hasRevision,
  ignoreConditionFailed,
  isAsRead,
  isNew,
  setMembers,
} from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { slices } from '../table/concurrency.ts'
import { commentKey, pendingKey, postKey, threadKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import {
  adminView,
  type CommentContent,
  type CommentState,
  commentData,
  commentView,
  listEntriesOf,
  MAX_DEPTH,
  newCommentState,
  publicList,
  type Submission,
} from './comment.ts'
import type { AdminComment, Comment } from './contract.ts'
import {
  findCommentedPost,
  findContent,
  findNames,
  findPending,
  findState,
  getComment,
  listStatesBelow,
  type PendingComments,
} from './store.ts'

/**
 * Throws RATE_LIMITED if too many comments of the user are pending, NOT_FOUND if the post is not public, and
 * VALIDATION_ERROR if the parent takes no replies.
 */
export function createComment(
  work: UnitOfWork,
  { post: slugOrId, parent_id, ...submitted }: Submission,
  requiresApproval: boolean,
): Promise<Reply<Comment>> {
  const { table, nowSeconds } = work
  let id: number | undefined
  /** The user whose pending comments are limited; null for a guest. */
  const limitedUserId = requiresApproval ? submitted.user_id : null
  return retryOnConflict(async () => {
    const [post, pending, authors] = await Promise.all([
      findCommentedPost(table, slugOrId, nowSeconds),
      limitedUserId === null ? undefined : findPending(table, limitedUserId),
      findAuthors(table, submitted.user_id === null ? [] : [submitted.user_id]),
    ])
    if (!post) throw notFound('Post')
    const parent = parent_id === null ? undefined : await getParent(table, post, parent_id)
    id ??= await nextId(table, 'comment')
    const path = [...(parent?.path ?? []), id]
    const content = { id, post_id: post.id, path, ...submitted, created_at: nowSeconds, schema: 1 }
    const state = newCommentState(content, requiresApproval)
    const { status } = state
    const data = commentData(content, status, { authors, slug: post.slug, siteUrl: await work.siteUrl() })
    await work.commit({
      actions: [
        ...putComment(content, state),
        ...(parent ? [ifStatusUnchanged(parent)] : []),
        ifPostUnchanged(post),
        ...(limitedUserId === null ? [] : [addPending(limitedUserId, pending, state)]),
      ],
      lists: { after: listEntriesOf(state) },
      events: [{ event: 'comment.created', data }],
    })
    return reply(commentView(content, status, authors))
  })
}

/** Throws VALIDATION_ERROR unless the parent is approved and not too deep. */
async function getParent(table: Table, post: Post, parentId: number): Promise<CommentState> {
  const content = await findContent(table, parentId)
  const parent = content?.post_id === post.id ? await findState(table, content) : undefined
  if (parent?.status !== 'approved') {
    throw invalid({ parent_id: ['Must be an approved comment of this post.'] })
  }
  if (parent.path.length >= MAX_DEPTH) {
    throw invalid({ parent_id: [`Is already ${MAX_DEPTH} levels deep. Reply to a comment above it.`] })
  }
  return parent
}

/** A no-op if the comment has the status. Fires comment.approved for each change to `approved`. */
export function changeStatus(
  work: UnitOfWork,
  id: number,
  status: 'approved' | 'rejected',
): Promise<Reply<AdminComment>> {
  return retryOnConflict(async () => {
    const { table } = work
    const { content, state, post } = await getComment(table, id)
    const { slug } = post
    const authors = await findNames(table, [content])
    const answer = reply(adminView(content, status, { authors, slug }))
    if (state.status === status) return answer
    const after = { ...state, status }
    const data = commentData(content, status, { authors, slug, siteUrl: await work.siteUrl() })
    await work.commit(
      {
        actions: [changeState(state, after), ifPostUnchanged(post)],
        lists: { before: listEntriesOf(state), after: listEntriesOf(after) },
        events: status === 'approved' ? [{ event: 'comment.approved', data }] : [],
      },
      answer,
    )
    return answer
  })
}

/** `jobs` deletes its replies, which may be many. */
export function deleteComment(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const { state } = await getComment(work.table, id)
    const { post_id, path } = state
    await work.commit({
      actions: removeComment(state),
      lists: { before: listEntriesOf(state) },
      messages: [{ queue: 'jobs', body: { kind: 'comments', post_id, path } }],
    })
  })
}

export function putComment(content: CommentContent, state: CommentState): Action[] {
  return [
    { Put: { Item: { ...commentKey(content.id), ...content }, ...isNew } },
    { Put: { Item: { ...keyOf(state), ...state }, ...isNew } },
  ]
}

function changeState(before: CommentState, after: CommentState): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: keyOf(after), ...changeOf(before, after, sameStatus(before)) },
  }
}

function removeComment(before: CommentState): Action[] {
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
  return { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...hasRevision(revision) } }
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

/** Adds a comment to those that were read. Fails with CONFLICT if they have changed since. */
function addPending(userId: number, pending: PendingComments, { post_id, path }: CommentState): Action {
  const members = {
    comments: [...(pending?.comments ?? []), { post_id, path }],
    revision: (pending?.revision ?? 0) + 1,
  }
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: pendingKey(userId), ...setMembers(members, isAsRead(pending)) },
  }
}

/** A no-op if the comment is deleted by then. */
export function eraseGuest(table: Table, id: number): Promise<void> {
  const Update = {
    Key: commentKey(id),
    UpdateExpression: 'SET guest = :guest',
    ...exists,
    ExpressionAttributeValues: { ':guest': { name: DELETED_USER, email: '' } },
  }
  return table.write({ Update }).catch(ignoreConditionFailed)
}

type Message = Extract<StepMessage, { kind: 'comments' }>

/** A transaction has 100 actions: for each comment 2 records, 4 entries and up to 8 counts, some shared. */
const COMMENTS_AT_ONCE = 7

/**
 * Returns true when there may be more. Each step starts from the beginning, and only one that finds nothing
 * is the last, so that a reply written while its parent was being deleted is deleted too. Idempotent.
 */
export function cleanUpComments(table: Table, { post_id, path }: Message): Promise<boolean> {
  return retryOnConflict(async () => {
    const states = await listStatesBelow(table, post_id, path)
    for (const some of slices(states, COMMENTS_AT_ONCE)) {
      await writeWithLists(table, { before: some.flatMap(listEntriesOf) }, listActions =>
        table.transact([...some.flatMap(removeComment), ...listActions]),
      )
    }
    if (states.length > 0) return true
    return path.length === 0 && (await clearList(table, publicList(post_id).name))
  })
}
