// How comments are read: each function is one access pattern of the chart in table/design.ts.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { type List, listPage } from '../../lists/counted-list.ts'
import { Post } from '../../posts/post.ts'
import { findPostBySlug, findPublicPost, type PageQuery, UNUSED_ID } from '../../posts/store/posts.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { commentKey, postKey, threadKey, threadPartition } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { CommentContent, CommentState, isOrphan, isShown, type StatesById, statesById } from '../comment.ts'
import { listEntriesOf, orderOf, publicList } from '../lists.ts'
import { findRecount, listRecountsOfDeleted, type ThreadRecount } from './recounts.ts'

/** What a list carries of a comment: enough to fetch all that is shown of it side by side. */
export const CommentEntry = z.pick(CommentState, { id: true, post_id: true, path: true, user_id: true })
export type CommentEntry = z.infer<typeof CommentEntry>
type Page = { items: CommentEntry[]; total: number }

export function findContent(table: Table, id: number): Promise<CommentContent | undefined> {
  return table.find(commentKey(id), CommentContent)
}

/** The comment at the end of the path and those above it; one that was deleted is missing. */
export async function findPath(
  table: Table,
  { post_id, path }: Pick<CommentContent, 'post_id' | 'path'>,
): Promise<StatesById> {
  const items = await table.findMany(path.map((_, n) => threadKey(post_id, path.slice(0, n + 1))))
  return statesById(items.map(item => CommentState.parse(item)))
}

/** All comments of a post, each before its replies. */
function listStates(table: Table, postId: number): Promise<CommentState[]> {
  return table.query({ pk: threadPartition(postId) }, CommentState)
}

/** A post in public view, never a page, by slug or id. */
export async function findCommentedPost(
  table: Table,
  asked: string | number,
  nowSeconds: number,
): Promise<Post | undefined> {
  const id = typeof asked === 'number' ? asked : (await findPostBySlug(table, asked))?.id
  return await findPublicPost(table, id, 'post', nowSeconds)
}

/** What readers of a public post see of its comments; throws NOT_FOUND where there is no such post. */
export async function listPublic(
  table: Table,
  slug: string,
  asked: PageQuery,
  nowSeconds: number,
): Promise<Page> {
  const id = (await findPostBySlug(table, slug))?.id ?? UNUSED_ID
  // Whether anything moves is known before the list is read: else it might be read as it was before the last step.
  const [moving, post] = await Promise.all([
    findRecount(table, id),
    findPublicPost(table, id, 'post', nowSeconds),
  ])
  if (!post) throw notFound('Post')
  if (!moving) return await pageOf(table, publicList(id), asked, [])
  const standings = await listStates(table, id)
  const known = statesById(standings)
  const shown = standings.filter(one => isShown(one, known)).sort((a, b) => a.id - b.id)
  const from = (asked.page - 1) * asked.per_page
  return { items: shown.slice(from, from + asked.per_page), total: shown.length }
}

/**
 * A list of an admin or an author. What is gone and still in it is left out of page and total; where a step of
 * the tidying came between the reads they do not agree, and are made again.
 */
export function listComments(table: Table, list: List, asked: PageQuery): Promise<Page> {
  return retryOnConflict(async () => {
    const moving = await listRecountsOfDeleted(table)
    const gone = (await Promise.all(moving.map(one => listDeletedStates(table, one)))).flat()
    const hidden = gone
      .filter(one => listEntriesOf(one).some(place => place.list.name === list.name))
      .map(orderOf)
    const page = await pageOf(table, list, asked, hidden)
    if (moving.length > 0 && !isDeepStrictEqual(await listRecountsOfDeleted(table), moving)) {
      throw new ConditionFailed([CONFLICT])
    }
    return page
  })
}

async function listDeletedStates(table: Table, { post_id, gone }: ThreadRecount): Promise<CommentState[]> {
  const standings = await listStates(table, post_id)
  const known = statesById(standings)
  return gone === 'all' ? standings : standings.filter(one => isOrphan(one, known))
}

function pageOf(table: Table, list: List, { page, per_page }: PageQuery, hidden: string[]): Promise<Page> {
  return listPage(table, { list, page, perPage: per_page, hidden: Promise.resolve(hidden) }, CommentEntry)
}

export type CommentInThread = { content: CommentContent; state: CommentState; states: StatesById; post: Post }

/** Throws NOT_FOUND, also for what went with its post or with a comment above it. */
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

export const STATES_AT_ONCE = 100

/** The next ones in the order of their paths, in which replies follow what they answer. */
export function listStatesFrom(table: Table, postId: number, from: number[]): Promise<CommentState[]> {
  const { pk, sk } = threadKey(postId, from)
  return table.query({ pk, ...(from.length > 0 && { from: sk }), limit: STATES_AT_ONCE }, CommentState)
}
