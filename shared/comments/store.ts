// Reads comments with their authors, pages of them, and those of a user that are pending.
import * as z from 'zod/mini'
import { findAuthors } from '../accounts/store/users.ts'
import { User } from '../accounts/user.ts'
import { notFound, rateLimited } from '../http/errors.ts'
import { type List, listPage } from '../lists/counted-list.ts'
import { Post } from '../posts/post.ts'
import { findPublicPost, findSlugLock } from '../posts/store/posts.ts'
import { findById, type Table } from '../table/client.ts'
import { commentKey, pendingKey, postKey, threadKey, userKey } from '../table/design.ts'
import { adminView, CommentContent, CommentEntry, CommentState, commentView, publicList } from './comment.ts'
import type { AdminComment, Comment } from './contract.ts'

type Page = { items: CommentEntry[]; total: number }

export function findContent(table: Table, id: number): Promise<CommentContent | undefined> {
  return table.find(commentKey(id), CommentContent)
}

export function findState(
  table: Table,
  { post_id, path }: Pick<CommentContent, 'post_id' | 'path'>,
): Promise<CommentState | undefined> {
  return table.find(threadKey(post_id, path), CommentState)
}

const STATES_AT_ONCE = 100

/** The first states below the comment with this path, or of the whole post, each before its replies. */
export function listStatesBelow(table: Table, postId: number, path: number[]): Promise<CommentState[]> {
  const { pk, sk } = threadKey(postId, path)
  return table.query(
    { pk, ...(path.length > 0 && { beginsWith: `${sk}/` }), limit: STATES_AT_ONCE },
    CommentState,
  )
}

/** A comment with its post. Throws NOT_FOUND, also if the post was deleted. */
export async function getComment(
  table: Table,
  id: number,
): Promise<{ content: CommentContent; state: CommentState; post: Post }> {
  const content = await findContent(table, id)
  if (!content) throw notFound('Comment')
  const [state, post] = await Promise.all([
    findState(table, content),
    table.find(postKey(content.post_id), Post),
  ])
  if (!state || !post) throw notFound('Comment')
  return { content, state, post }
}

/** A public post, not a page. */
export async function findCommentedPost(
  table: Table,
  slugOrId: string | number,
  nowSeconds: number,
): Promise<Post | undefined> {
  const id = typeof slugOrId === 'number' ? slugOrId : (await findSlugLock(table, slugOrId))?.id
  return await findPublicPost(table, id, nowSeconds)
}

type PageQuery = { page: number; per_page: number }

/** A page of the comments that readers of a public post see. Throws NOT_FOUND for any other post. */
export async function listPublic(
  table: Table,
  slug: string,
  query: PageQuery,
  nowSeconds: number,
): Promise<Page> {
  const post = await findCommentedPost(table, slug, nowSeconds)
  if (!post) throw notFound('Post')
  return await listComments(table, publicList(post.id), query)
}

export function listComments(table: Table, list: List, { page, per_page }: PageQuery): Promise<Page> {
  return listPage(table, { list, page, perPage: per_page }, CommentEntry)
}

const MAX_PENDING = 20

/** It is unknown when an admin will decide. */
const RETRY_AFTER_MS = 3_600_000

const PendingItem = z.object({
  comments: z.array(z.pick(CommentState, { post_id: true, path: true })),
  revision: z.int(),
})

/** The user's newest submissions, some of which may have been decided; undefined before the first one. */
export type PendingComments = z.infer<typeof PendingItem> | undefined

/**
 * Throws RATE_LIMITED if 20 comments of the user are pending approval. Reads their states only if 20 are
 * recorded, because moderating a comment does not update this record.
 */
export async function findPending(table: Table, userId: number): Promise<PendingComments> {
  const pending = await table.find(pendingKey(userId), PendingItem)
  if (!pending || pending.comments.length < MAX_PENDING) return pending
  const items = await table.findMany(pending.comments.map(({ post_id, path }) => threadKey(post_id, path)))
  const comments = items.map(item => CommentState.parse(item)).filter(({ status }) => status === 'pending')
  if (comments.length < MAX_PENDING) return PendingItem.parse({ ...pending, comments })
  throw rateLimited(
    `${MAX_PENDING} of your comments are pending approval. Try again after some of them have been approved or rejected.`,
    RETRY_AFTER_MS,
  )
}

function usersOf(entries: Pick<CommentEntry, 'user_id'>[]): number[] {
  return [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))]
}

/** Leaves out a comment that is deleted while it is being read. */
async function readComments(table: Table, entries: CommentEntry[]) {
  const keys = entries.map(({ id }) => commentKey(id))
  const stateKeys = entries.map(({ post_id, path }) => threadKey(post_id, path))
  const [contents, states] = await Promise.all([
    findById(table, keys, CommentContent),
    findById(table, stateKeys, CommentState),
  ])
  return entries.flatMap(({ id }) => {
    const [content, state] = [contents.get(id), states.get(id)]
    return content && state ? [{ content, status: state.status }] : []
  })
}

export async function commentViews(table: Table, entries: CommentEntry[]): Promise<Comment[]> {
  const [comments, authors] = await Promise.all([
    readComments(table, entries),
    findAuthors(table, usersOf(entries)),
  ])
  return comments.map(({ content, status }) => commentView(content, status, authors))
}

/** Leaves out comments that are not approved any more, though the list still has them. */
export async function publicViews(table: Table, entries: CommentEntry[]): Promise<Comment[]> {
  return (await commentViews(table, entries)).filter(({ status }) => status === 'approved')
}

const PostSlug = z.pick(Post, { id: true, slug: true })
const UserNames = z.pick(User, { id: true, name: true, avatar: true, email: true })

/** The current names of users, and their e-mail addresses for admins. */
export function findNames(table: Table, entries: Pick<CommentEntry, 'user_id'>[]) {
  return findById(table, usersOf(entries).map(userKey), UserNames)
}

export async function adminViews(table: Table, entries: CommentEntry[]): Promise<AdminComment[]> {
  const postIds = [...new Set(entries.map(({ post_id }) => post_id))]
  const [comments, authors, posts] = await Promise.all([
    readComments(table, entries),
    findNames(table, entries),
    findById(table, postIds.map(postKey), PostSlug),
  ])
  return comments.flatMap(({ content, status }) => {
    const slug = posts.get(content.post_id)?.slug
    return slug === undefined ? [] : [adminView(content, status, { authors, slug })]
  })
}
