// Shows the public list of posts: newest first, of one category or all, or the hits of a search.

import type { Content } from '../../cache/content.ts'
import { findCategoryIdBySlug } from '../../categories/store/categories.ts'
import { paged, type Reply } from '../../http/reply.ts'
import { showPostSearch } from '../../search/store/search-results.ts'
import type { Table } from '../../table/client.ts'
import type { PostListItem } from '../fields.ts'
import { categoryList, POSTS } from '../lists.ts'
import type { PageQuery } from './posts.ts'
import { showPublicPage } from './public-page.ts'

export type ListPostsQuery = PageQuery & {
  category?: string | undefined
  include?: 'body' | undefined
}

/** An unknown category has no posts. */
export async function showPublicPosts(
  content: Content,
  query: ListPostsQuery,
): Promise<Reply<PostListItem[]>> {
  if (query.category === undefined) return await showPublicPage(content, POSTS, query)
  const id = await findCategoryIdBySlug(content.names, query.category)
  if (id === undefined) return paged<PostListItem>([], 0, query)
  return await showPublicPage(content, categoryList(id), query)
}

/** The posts that match a text. An unknown category has none. */
export async function showFoundPosts(
  table: Table,
  names: Table,
  query: ListPostsQuery & { q: string },
  nowMs: number,
): Promise<Reply<PostListItem[]>> {
  const { category } = query
  const categoryId = category === undefined ? undefined : await findCategoryIdBySlug(names, category)
  if (category !== undefined && categoryId === undefined) return paged<PostListItem>([], 0, query)
  return await showPostSearch(table, names, { ...query, categoryId }, nowMs)
}
