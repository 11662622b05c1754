// Submitting a comment: by a guest or a user, on a public post, as an answer to another or not.
import { readAuthors } from '../../accounts/store/authors.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid, notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Post } from '../../posts/post.ts'
import type { Table } from '../../table/client.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import {
  type CommentContent,
  type CommentState,
  DEEPEST,
  isShown,
  newComment,
  type StatesById,
} from '../comment.ts'
import type { Comment } from '../contract.ts'
import { commentData } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { findCommentedPost, findContent, findPath } from '../store/comments.ts'
import { findPending } from '../store/pending.ts'
import { commentView } from '../view.ts'
import { addPending } from './pending.ts'
import { markReplied, putComment, requireAncestors, requireSamePost } from './write.ts'

export type Submission = Pick<CommentContent, 'user_id' | 'guest' | 'body'> & {
  /** Its slug or its id. */
  post: string | number
  parent_id: number | null
}

/**
 * Throws RATE_LIMITED for a user of whom enough comments wait for approval, NOT_FOUND for a post that is not public
 * now, VALIDATION_ERROR for a parent that takes no reply.
 */
export function createComment(
  work: UnitOfWork,
  { post: asked, parent_id, ...given }: Submission,
  requiresApproval: boolean,
): Promise<Reply<Comment>> {
  const { table, nowMs, nowSeconds } = work
  let id: number | undefined
  /** Whose comment it is, where it is to wait for approval. A guest is nobody. */
  const waiting = requiresApproval ? given.user_id : null
  return retryOnConflict(async () => {
    const [post, room, authors] = await Promise.all([
      findCommentedPost(table, asked, nowSeconds),
      waiting === null ? undefined : findPending(table, waiting),
      readAuthors(table, given.user_id === null ? [] : [given.user_id], nowMs),
    ])
    if (!post) throw notFound('Post')
    const { parent, known } = parent_id === null ? NO_PARENT : await getParent(table, post, parent_id)
    id ??= await nextId(table, 'comment')
    const path = [...(parent?.path ?? []), id]
    const words: CommentContent = { id, post_id: post.id, path, ...given, created_at: nowSeconds, schema: 1 }
    const standing = newComment(words, requiresApproval)
    const siteUrl = await work.siteUrl()
    const { status } = standing
    await work.commit({
      actions: [
        ...putComment(words, standing),
        ...(parent ? [markReplied(parent), ...requireAncestors([parent], known)] : []),
        requireSamePost(post),
        ...(waiting === null ? [] : [addPending(waiting, room, standing)]),
      ],
      lists: { after: listEntriesOf(standing) },
      events: [
        { event: 'comment.created', data: commentData(words, status, { authors, slug: post.slug, siteUrl }) },
      ],
    })
    return reply(commentView(words, status, authors))
  })
}

type ParentInThread = { parent: CommentState | undefined; known: StatesById }
const NO_PARENT: ParentInThread = { parent: undefined, known: new Map() }

/** Throws VALIDATION_ERROR. Who cannot be seen cannot be answered. */
async function getParent(table: Table, post: Post, parentId: number): Promise<ParentInThread> {
  const words = await findContent(table, parentId)
  const known = words?.post_id === post.id ? await findPath(table, words) : NO_PARENT.known
  const parent = known.get(parentId)
  if (!parent || !isShown(parent, known)) {
    throw invalid({ parent_id: ['Must be an approved comment of this post.'] })
  }
  if (parent.path.length >= DEEPEST) {
    throw invalid({ parent_id: [`Is ${DEEPEST} deep already: answer one above it.`] })
  }
  return { parent, known }
}
