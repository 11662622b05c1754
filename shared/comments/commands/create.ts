// Creates a comment of a guest or a user on a public post, or a reply to another comment.
import { findAuthors } from '../../accounts/store/authors.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid, notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Post } from '../../posts/post.ts'
import type { Table } from '../../table/client.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type CommentState, MAX_DEPTH, newCommentState, type Submission } from '../comment.ts'
import type { Comment } from '../contract.ts'
import { commentData } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { findCommentedPost, findContent, findState } from '../store/comments.ts'
import { findPending } from '../store/pending.ts'
import { commentView } from '../view.ts'
import { addPending } from './pending.ts'
import { ifPostUnchanged, ifStatusUnchanged, putComment } from './write.ts'

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
