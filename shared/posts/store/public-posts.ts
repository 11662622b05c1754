// Shows the public list of posts, of one category or all, or the hits of a search.
import type { Content } from '../../cache/content.ts'
import { findCategoryIdBySlug } from '../../categories/store.ts'
import { paged, type Reply } from '../../http/reply.ts'
import type { List } from '../../lists/counted-list.ts'
import type { CursorPlace } from '../../lists/cursor.ts'
import { showPostSearch } from '../../search/store/search-results.ts'
import type { Table } from '../../table/client.ts'
import type { PostListItem } from '../fields.ts'
import { categoryList, POSTS } from '../lists.ts'
import { listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { type PartQuery, publicPart, replyWith, wholePart } from './list-part.ts'
import { namesFor } from './posts.ts'

type ListPostsQuery = PublicListQuery & { category?: string | undefined }

/** An unknown category has no posts. */
export async function showPublicPosts(
  content: Content,
  query: ListPostsQuery,
  at: CursorPlace,
): Promise<Reply<PostListItem[]>> {
  if (query.category === undefined) return await showPublicPage(content, POSTS, query, at)
  const id = await findCategoryIdBySlug(content.names, query.category)
  if (id !== undefined) return await showPublicPage(content, categoryList(id), query, at)
  return replyWith<PostListItem>([], wholePart([], query, at), at)
}

/** The posts that match a text. An unknown category has none. A search is read by page only. */
export async function showFoundPosts(
  table: Table,
  names: Table,
  { page = 1, ...filters }: ListPostsQuery & { q: string },
  nowMs: number,
): Promise<Reply<PostListItem[]>> {
  const { category } = filters
  const query = { ...filters, page }
  const categoryId = category === undefined ? undefined : await findCategoryIdBySlug(names, category)
  const found =
    category !== undefined && categoryId === undefined
      ? paged<PostListItem>([], 0, query)
      : await showPostSearch(table, names, { ...query, categoryId }, nowMs)
  return { ...found, cursor: { next: null } }
}

export type PublicListQuery = PartQuery & { include?: 'body' | undefined }

export async function showPublicPage(
  { table, names: namesTable, nowMs }: Content,
  list: List,
  query: PublicListQuery,
  at: CursorPlace,
): Promise<Reply<PostListItem[]>> {
  const nowSeconds = Math.floor(nowMs / 1000)
  const { items, ...part } = await publicPart(table, list, query, at, nowSeconds)
  const [names, postsWithBodies] = await Promise.all([
    namesFor(namesTable, items),
    query.include && withBodies(table, items, nowSeconds),
  ])
  const data = postsWithBodies
    ? postsWithBodies.map(({ post, body }) => singlePost(post, body, names))
    : items.map(post => listItem(post, names))
  return replyWith<PostListItem>(data, part, at)
}
