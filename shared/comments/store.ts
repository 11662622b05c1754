// How comments are read: each function is one access pattern of the chart in table/design.ts.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import type { Post } from '../posts/post.ts'
import { findPostBySlug, findPublicPost, NOTHING, type PageAsked } from '../posts/store.ts'
import { Refused, STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { type List, listPage } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { commentKey, threadKey, threadPartition } from '../table/design.ts'
import { isOrphan, isShown, type Known, knownOf, Standing, Words } from './comment.ts'
import { findMoving, listGone, type Moving } from './moving.ts'
import { orderOf, placesOf, publicList } from './places.ts'

/** What a list carries of a comment: enough to fetch all that is shown of it side by side. */
export const Entry = z.pick(Standing, { id: true, post_id: true, path: true, user_id: true })
export type Entry = z.infer<typeof Entry>
type Page = { items: Entry[]; total: number }

export const findWords = (table: Table, id: number): Promise<Words | undefined> =>
  table.find(commentKey(id), Words)

/** The comment at the end of the path and those above it; one that was deleted is missing. */
export const findPath = async (
  table: Table,
  { post_id, path }: Pick<Words, 'post_id' | 'path'>,
): Promise<Known> => {
  const items = await table.findMany(path.map((_, n) => threadKey(post_id, path.slice(0, n + 1))))
  return knownOf(items.map(item => Standing.parse(item)))
}

/** All comments of a post, each before its replies. */
const listStandings = (table: Table, postId: number): Promise<Standing[]> =>
  table.query({ pk: threadPartition(postId) }, Standing)

/** A post in public view, never a page, by slug or id. */
export const findCommentedPost = async (
  table: Table,
  asked: string | number,
  now: number,
): Promise<Post | undefined> => {
  const id = typeof asked === 'number' ? asked : (await findPostBySlug(table, asked))?.id
  return await findPublicPost(table, id, 'post', now)
}

/** What readers of a public post see of its comments; throws NOT_FOUND where there is no such post. */
export const listPublic = async (
  table: Table,
  slug: string,
  asked: PageAsked,
  now: number,
): Promise<Page> => {
  const id = (await findPostBySlug(table, slug))?.id ?? NOTHING
  // Whether anything moves is known before the list is read: else it might be read as it was before the last step.
  const [moving, post] = await Promise.all([findMoving(table, id), findPublicPost(table, id, 'post', now)])
  if (!post) throw notFound('Post')
  if (!moving) return await pageOf(table, publicList(id), asked, [])
  const standings = await listStandings(table, id)
  const known = knownOf(standings)
  const shown = standings.filter(one => isShown(one, known)).sort((a, b) => a.id - b.id)
  const from = (asked.page - 1) * asked.per_page
  return { items: shown.slice(from, from + asked.per_page), total: shown.length }
}

/**
 * A list of an admin or an author. What is gone and still in it is left out of page and total; where a step of
 * the tidying came between the reads they do not agree, and are made again.
 */
export const listComments = (table: Table, list: List, asked: PageAsked): Promise<Page> =>
  deciding(async () => {
    const moving = await listGone(table)
    const gone = (await Promise.all(moving.map(one => listGoneOf(table, one)))).flat()
    const hidden = gone.filter(one => placesOf(one).some(place => place.list.name === list.name)).map(orderOf)
    const page = await pageOf(table, list, asked, hidden)
    if (moving.length > 0 && !isDeepStrictEqual(await listGone(table), moving)) throw new Refused([STALE])
    return page
  })

const listGoneOf = async (table: Table, { post_id, gone }: Moving): Promise<Standing[]> => {
  const standings = await listStandings(table, post_id)
  const known = knownOf(standings)
  return gone === 'all' ? standings : standings.filter(one => isOrphan(one, known))
}

const pageOf = (table: Table, list: List, { page, per_page }: PageAsked, hidden: string[]): Promise<Page> =>
  listPage(table, { list, page, perPage: per_page, hidden: Promise.resolve(hidden) }, Entry)
