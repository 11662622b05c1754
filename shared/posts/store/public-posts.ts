// Shows part of a public list: of pages, or of posts, of one category or all.
import type { Content } from '../../cache/content.ts'
import { findCategoryIdBySlug } from '../../categories/store.ts'
import type { Reply } from '../../http/reply.ts'
import type { List } from '../../lists/counted-list.ts'
import type { CursorPlace } from '../../lists/cursor.ts'
import type { PostListItem } from '../fields.ts'
import { categoryList, POSTS } from '../lists.ts'
import { listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { type PartQuery, publicPart, replyWith, wholePart } from './list-part.ts'
import { namesFor } from './posts.ts'

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
