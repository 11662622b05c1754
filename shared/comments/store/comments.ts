// Reads comments and pages of comments.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { type List, listPage } from '../../lists/counted-list.ts'
import { Post } from '../../posts/post.ts'
import { findPublicPost, findSlugLock, type PageQuery, UNUSED_ID } from '../../posts/store/posts.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { commentKey, postKey, threadKey, threadPartition } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { CommentContent, CommentState, isOrphan, isVisible, type StatesById, statesById } from '../comment.ts'
import { listEntriesOf, orderOf, publicList } from '../lists.ts'
import { findRecount, listRecountsOfDeleted, type ThreadRecount } from './recounts.ts'

/** An item of a list: the ids that are needed to read the comment and its author in parallel. */
export const CommentEntry = z.pick(CommentState, { id: true, post_id: true, path: true, user_id: true })
export type CommentEntry = z.infer<typeof CommentEntry>
type Page = { items: CommentEntry[]; total: number }

export function findContent(table: Table, id: number): Promise<CommentContent | undefined> {
  return table.find(commentKey(id), CommentContent)
}

/** The states of a comment and of the comments above it. A deleted one is missing. */
export async function findPath(
  table: Table,
  { post_id, path }: Pick<CommentContent, 'post_id' | 'path'>,
): Promise<StatesById> {
  const items = await table.findMany(path.map((_, n) => threadKey(post_id, path.slice(0, n + 1))))
  return statesById(items.map(item => CommentState.parse(item)))
}

export const STATES_AT_ONCE = 100

/** Of all comments of a post, each before its replies. */
function listStates(table: Table, postId: number): Promise<CommentState[]> {
  return table.query({ pk: threadPartition(postId) }, CommentState)
}

/** The next states after the path `from`, each before its replies. */
export function listStatesFrom(table: Table, postId: number, from: number[]): Promise<CommentState[]> {
  const { pk, sk } = threadKey(postId, from)
  return table.query({ pk, ...(from.length > 0 && { from: sk }), limit: STATES_AT_ONCE }, CommentState)
}

/** A comment with its post and the states of its path, which decide whether it is visible. */
export type CommentInThread = { content: CommentContent; state: CommentState; states: StatesById; post: Post }

/** Throws NOT_FOUND, also if the post or a comment above this one was deleted. */
export async function getComment(table: Table, id: number): Promise<CommentInThread> {
  const content = await findContent(table, id)
  if (!content) throw notFound('Comment')
  const [states, post] = await Promise.all([
    findPath(table, content),
    table.find(postKey(content.post_id), Post),
  ])
  const state = states.get(id)
  if (!state || !post || isOrphan(state, states)) throw notFound('Comment')
  return { content, state, states, post }
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
  const id = (await findSlugLock(table, slug))?.id ?? UNUSED_ID
  // Read before the list: a recount that ends in between has corrected the list already.
  const [recount, post] = await Promise.all([
    findRecount(table, id),
    findPublicPost(table, id, 'post', nowSeconds),
  ])
  if (!post) throw notFound('Post')
  if (!recount) return await pageOf(table, publicList(id), query, [])
  const states = await listStates(table, id)
  const byId = statesById(states)
  const shown = states.filter(state => isVisible(state, byId)).sort((a, b) => a.id - b.id)
  const from = (query.page - 1) * query.per_page
  return { items: shown.slice(from, from + query.per_page), total: shown.length }
}

/**
 * A page of a list of an admin or an author, without deleted comments that are still in the list. Reads again
 * if a batch of a recount was written in between.
 */
export function listComments(table: Table, list: List, query: PageQuery): Promise<Page> {
  return retryOnConflict(async () => {
    const recounts = await listRecountsOfDeleted(table)
    const deleted = (await Promise.all(recounts.map(recount => listDeletedStates(table, recount)))).flat()
    const hidden = deleted
      .filter(state => listEntriesOf(state).some(entry => entry.list.name === list.name))
      .map(orderOf)
    const page = await pageOf(table, list, query, hidden)
    if (recounts.length > 0 && !isDeepStrictEqual(await listRecountsOfDeleted(table), recounts)) {
      throw new ConditionFailed([CONFLICT])
    }
    return page
  })
}

async function listDeletedStates(table: Table, { post_id, gone }: ThreadRecount): Promise<CommentState[]> {
  const states = await listStates(table, post_id)
  const byId = statesById(states)
  return gone === 'all' ? states : states.filter(state => isOrphan(state, byId))
}

function pageOf(table: Table, list: List, { page, per_page }: PageQuery, hidden: string[]): Promise<Page> {
  return listPage(table, { list, page, perPage: per_page, hidden: Promise.resolve(hidden) }, CommentEntry)
}
