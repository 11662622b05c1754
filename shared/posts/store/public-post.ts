// Shows one public post or page, and the posts that are related to a post.
import { findAuthors } from '../../accounts/store/authors.ts'
import { listCachedCategories } from '../../categories/store/category-cache.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Table } from '../../table/client.ts'
import type { ContentType, PostListItem, SinglePost } from '../fields.ts'
import { listItem, singlePost } from '../view.ts'
import { findPublicPostWithBody } from './bodies.ts'
import { namesFor } from './names.ts'
import { findPublicPost, findSlugLock, listRelated, UNUSED_ID } from './posts.ts'

/** Throws NOT_FOUND. An unknown slug costs the same reads as the slug of a hidden post. */
export async function showPublicPost(
  table: Table,
  slug: string,
  type: ContentType,
  nowMs: number,
): Promise<Reply<SinglePost>> {
  const [lock, categories] = await Promise.all([findSlugLock(table, slug), listCachedCategories(table)])
  const [publicPost] = await Promise.all([
    findPublicPostWithBody(table, lock?.id, type, Math.floor(nowMs / 1000)),
    findAuthors(table, [lock?.author_id ?? UNUSED_ID], nowMs),
  ])
  if (!publicPost) throw notFound('Post')
  const { post, body } = publicPost
  const names = await namesFor(table, [post], categories, nowMs)
  return reply(singlePost(post, body, names))
}

/** Shows the newest posts that share a category with this one. Throws NOT_FOUND. */
export async function showRelated(table: Table, slug: string, nowMs: number): Promise<Reply<PostListItem[]>> {
  const lock = await findSlugLock(table, slug)
  const nowSeconds = Math.floor(nowMs / 1000)
  const [post, categories] = await Promise.all([
    findPublicPost(table, lock?.id, 'post', nowSeconds),
    listCachedCategories(table),
  ])
  if (!post) throw notFound('Post')
  // A deleted category is removed from a post's record only when the post is written the next time.
  const existing = new Set(categories.map(({ id }) => id))
  const category_ids = post.category_ids.filter(id => existing.has(id))
  const related = await listRelated(table, { ...post, category_ids }, nowSeconds)
  const names = await namesFor(table, related, categories, nowMs)
  return reply(related.map(entry => listItem(entry, names)))
}
