// Shows posts and pages to admins: drafts, scheduled and published ones.
import { notFound } from '../../http/errors.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import type { CursorPlace } from '../../lists/cursor.ts'
import type { Table } from '../../table/client.ts'
import type { AdminListItem, AdminPost, ContentType } from '../fields.ts'
import { adminList } from '../lists.ts'
import type { PostEntry } from '../post.ts'
import { adminListItem, adminPost } from '../view.ts'
import { findPost, findPostWithBody } from './bodies.ts'
import { adminPart, type ListPart, type PartQuery, replyWith, wholePart } from './list-part.ts'
import { findSlugLock, namesFor } from './posts.ts'

type AdminPostsQuery = PartQuery & {
  drafts_only: boolean
  content_type?: ContentType | undefined
  slug?: string | undefined
}

/** `names`: the table as it is read for names. */
export async function showAdminPage(
  table: Table,
  names: Table,
  query: AdminPostsQuery,
  at: CursorPlace,
  nowMs: number,
): Promise<Reply<AdminListItem[]>> {
  const { items, ...part } =
    query.slug === undefined
      ? await adminPart(table, adminList(query.drafts_only, query.content_type), query, at)
      : await listBySlug(table, query, query.slug, at)
  const namesOfItems = await namesFor(names, items)
  const nowSeconds = Math.floor(nowMs / 1000)
  const data = items.map(post => adminListItem(post, namesOfItems, nowSeconds))
  return replyWith(data, part, at)
}

/** A list of the post with this slug, or an empty list if the other filters exclude the post. */
async function listBySlug(
  table: Table,
  query: AdminPostsQuery,
  slug: string,
  at: CursorPlace,
): Promise<ListPart> {
  const lock = await findSlugLock(table, slug)
  const post = lock && (await findPost(table, lock.id))?.post
  const isMatch =
    post &&
    (!query.drafts_only || !post.is_published) &&
    (query.content_type ?? post.content_type) === post.content_type
  const matches: PostEntry[] = isMatch ? [post] : []
  return wholePart(matches, query, at)
}

/** Throws NOT_FOUND. */
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
