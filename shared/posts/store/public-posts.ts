// Shows the public list of posts, of one category or all, or the hits of a search.
import type { Content } from '../../cache/content.ts'
import { findCategoryIdBySlug } from '../../categories/store.ts'
import { paged, type Reply } from '../../http/reply.ts'
import type { CursorPlace } from '../../lists/cursor.ts'
import { showPostSearch } from '../../search/store/search-results.ts'
import type { Table } from '../../table/client.ts'
import type { PostListItem } from '../fields.ts'
import { categoryList, POSTS } from '../lists.ts'
import { replyWith, wholePart } from './list-part.ts'
import { type PublicListQuery, showPublicPage } from './public-page.ts'

export type ListPostsQuery = PublicListQuery & { category?: string | undefined }

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
