// Shows part of a public list.
import type { Content } from '../../cache/content.ts'
import type { Reply } from '../../http/reply.ts'
import type { List } from '../../lists/counted-list.ts'
import type { CursorPlace } from '../../lists/cursor.ts'
import type { PostListItem } from '../fields.ts'
import { listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { type PartQuery, publicPart, replyWith } from './list-part.ts'
import { namesFor } from './names.ts'

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
