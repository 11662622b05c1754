// Shows the public list of posts: newest first, of one category or all, or the hits of a search.
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
  q?: string | undefined
  include?: 'body' | undefined
}

/** An unknown category has no posts. */
export async function showPublicPosts(
  table: Table,
  query: ListPostsQuery,
  nowMs: number,
): Promise<Reply<PostListItem[]>> {
  const { category, q } = query
  const categoryId = category === undefined ? undefined : await findCategoryIdBySlug(table, category)
  if (category !== undefined && categoryId === undefined) return paged<PostListItem>([], 0, query)
  if (q !== undefined) return await showPostSearch(table, { ...query, q, categoryId }, nowMs)
  return await showPublicPage(
    table,
    categoryId === undefined ? POSTS : categoryList(categoryId),
    query,
    nowMs,
  )
}
