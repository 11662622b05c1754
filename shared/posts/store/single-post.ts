// Shows one post or page, to readers or admins, and the posts that are related to a post.
import { findAuthors } from '../../accounts/store/users.ts'
import type { Content } from '../../cache/content.ts'
import { findCategoryNames } from '../../categories/store.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, reply, versioned } from '../../http/reply.ts'
import type { Table } from '../../table/client.ts'
import type { AdminPost, ContentType, PostListItem, SinglePost } from '../fields.ts'
import { adminPost, listItem, singlePost } from '../view.ts'
import { findPostWithBody, findPublicPostWithBody } from './bodies.ts'
import { findPublicPost, findSlugLock, listRelated, namesFor, UNUSED_ID } from './posts.ts'

/**
 * Throws NOT_FOUND. An unknown slug costs the same reads as the slug of a hidden post: what is remembered of
 * either does not make it quicker.
 */
export async function showPublicPost(
  { table, names, nowMs }: Content,
  slug: string,
  type: ContentType,
): Promise<Reply<SinglePost>> {
  const lock = await findSlugLock(table, slug)
  const latest = table.latest ?? table
  const [publicPost, authors] = await Promise.all([
    findPublicPostWithBody(latest, lock?.id, type, Math.floor(nowMs / 1000)),
    findAuthors(latest, [lock?.author_id ?? UNUSED_ID]),
  ])
  if (!publicPost) throw notFound('Post')
  const { post, body } = publicPost
  const categories = await findCategoryNames(names, post.category_ids)
  return reply(singlePost(post, body, { categories, authors }))
}

/** Shows the newest posts that share a category with this one. Throws NOT_FOUND. */
export async function showRelated(
  { table, names: namesTable, nowMs }: Content,
  slug: string,
): Promise<Reply<PostListItem[]>> {
  const lock = await findSlugLock(table, slug)
  const nowSeconds = Math.floor(nowMs / 1000)
  const post = await findPublicPost(table.latest ?? table, lock?.id, 'post', nowSeconds)
  if (!post) throw notFound('Post')
  // A deleted category is removed from a post's record only when the post is written the next time.
  const existing = await findCategoryNames(namesTable, post.category_ids)
  const category_ids = post.category_ids.filter(id => existing.has(id))
  const related = await listRelated(table, { ...post, category_ids }, nowSeconds)
  const names = await namesFor(namesTable, related)
  return reply(related.map(entry => listItem(entry, names)))
}

/** Throws NOT_FOUND. `names`: the table as it is read for names. */
export async function showAdminPost(
  table: Table,
  names: Table,
  id: number,
  nowMs: number,
): Promise<Reply<AdminPost>> {
  const postWithBody = await findPostWithBody(table, id)
  if (!postWithBody) throw notFound('Post')
  const { post, body } = postWithBody
  const namesOfPost = await namesFor(names, [post])
  return versioned(adminPost(post, body, namesOfPost, Math.floor(nowMs / 1000)), post.version)
}
