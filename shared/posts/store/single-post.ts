// Shows one post or page, to readers, to admins or in a preview, and the posts that are related to a post.
import { findAuthors } from '../../accounts/store/users.ts'
import type { Content } from '../../cache/content.ts'
import { findCategoryNames } from '../../categories/store.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, reply, versioned } from '../../http/reply.ts'
import type { Table } from '../../table/client.ts'
import type { AdminPost, ContentType, PostListItem, PreviewedPost, SinglePost } from '../fields.ts'
import { isPublic, type Post, statusOf } from '../post.ts'
import { isPreviewOf, type Preview } from '../preview.ts'
import { adminPost, listItem, singlePost } from '../view.ts'
import { findPostWithBody } from './bodies.ts'
import { findPublicPost, findSlugLock, listRelated, namesFor, UNUSED_ID } from './posts.ts'

/**
 * Also shows the hidden post that the preview is of. Throws NOT_FOUND. An unknown slug costs the same reads
 * as that of a hidden post, with or without a preview: what is remembered of either makes it no quicker.
 */
export async function showPublicPost(
  { table, namesTable, nowMs }: Content,
  slug: string,
  type: ContentType,
  preview: Preview | undefined,
): Promise<Reply<SinglePost>> {
  const latest = table.latest ?? table
  const lock = await findSlugLock(latest, slug)
  const isHidden = (post: Post) => !isPublic(post, type, Math.floor(nowMs / 1000))
  const isPreviewed = (post: Post) => post.content_type === type && isPreviewOf(preview, post)
  const [shown, authors] = await Promise.all([
    findPostWithBody(latest, lock?.id, post => !isHidden(post) || isPreviewed(post)),
    findAuthors(latest, [lock?.author_id ?? UNUSED_ID]),
  ])
  if (!shown) throw notFound('Post')
  const { post, body } = shown
  const categories = await findCategoryNames(namesTable, post.category_ids)
  const data = singlePost(post, body, { categories, authors })
  return isHidden(post) ? previewed(data) : reply(data)
}

/** Shows a post or page as it is now, in any state. Throws NOT_FOUND, after the same reads each time. */
export async function showPreview(
  table: Table,
  preview: Preview | undefined,
  nowMs: number,
): Promise<Reply<PreviewedPost>> {
  const shown = await findPostWithBody(table, preview?.id, post => isPreviewOf(preview, post))
  if (!shown) throw notFound('Post')
  const { post, body } = shown
  const names = await namesFor(table, [post])
  return previewed({ ...singlePost(post, body, names), status: statusOf(post, Math.floor(nowMs / 1000)) })
}

/** No cache stores what only a preview shows, and no search engine lists it. */
function previewed<Data>(data: Data): Reply<Data> {
  return {
    data,
    isVolatile: true,
    headers: { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' },
  }
}

/** Shows the newest posts that share a category with this one. Throws NOT_FOUND. */
export async function showRelated(
  { table, namesTable, nowMs }: Content,
  slug: string,
): Promise<Reply<PostListItem[]>> {
  const lock = await findSlugLock(table, slug)
  const nowSeconds = Math.floor(nowMs / 1000)
  const post = await findPublicPost(table.latest ?? table, lock?.id, nowSeconds)
  if (!post) throw notFound('Post')
  // A deleted category is removed from a post's record only when the post is written the next time.
  const existing = await findCategoryNames(namesTable, post.category_ids)
  const category_ids = post.category_ids.filter(id => existing.has(id))
  const related = await listRelated(table, { ...post, category_ids }, nowSeconds)
  const names = await namesFor(namesTable, related)
  return reply(related.map(entry => listItem(entry, names)))
}

/** Throws NOT_FOUND. `namesTable`: the table as it is read for names. */
export async function showAdminPost(
  table: Table,
  namesTable: Table,
  id: number,
  nowMs: number,
): Promise<Reply<AdminPost>> {
  const postWithBody = await findPostWithBody(table, id)
  if (!postWithBody) throw notFound('Post')
  const { post, body } = postWithBody
  const names = await namesFor(namesTable, [post], table)
  return versioned(adminPost(post, body, names, Math.floor(nowMs / 1000)), post.version)
}
