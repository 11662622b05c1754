// Reads comments and pages of comments.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { type List, listPage } from '../../lists/counted-list.ts'
import { Post } from '../../posts/post.ts'
import { findPublicPost, findSlugLock, type PageQuery } from '../../posts/store/posts.ts'
import type { Table } from '../../table/client.ts'
import { commentKey, postKey, threadKey } from '../../table/design.ts'
import { CommentContent, CommentState } from '../comment.ts'
import { publicList } from '../lists.ts'

/** An item of a list: the ids that are needed to read the comment and its author in parallel. */
export const CommentEntry = z.pick(CommentState, { id: true, post_id: true, path: true, user_id: true })
export type CommentEntry = z.infer<typeof CommentEntry>
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
  return await findPublicPost(table, id, 'post', nowSeconds)
}

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
