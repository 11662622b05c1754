// Shows a page of a public list.
import type { Content } from '../../cache/content.ts'
import { paged, type Reply } from '../../http/reply.ts'
import type { List } from '../../lists/counted-list.ts'
import type { PostListItem } from '../fields.ts'
import { listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { namesFor } from './names.ts'
import { listPublic, type PageQuery } from './posts.ts'

export async function showPublicPage(
  { table, names: namesTable, nowMs }: Content,
  list: List,
  query: PageQuery & { include?: 'body' | undefined },
): Promise<Reply<PostListItem[]>> {
  const nowSeconds = Math.floor(nowMs / 1000)
  const { items, total } = await listPublic(table, list, query, nowSeconds)
  const [names, postsWithBodies] = await Promise.all([
    namesFor(namesTable, items),
    query.include && withBodies(table, items, nowSeconds),
  ])
  const data = postsWithBodies
    ? postsWithBodies.map(({ post, body }) => singlePost(post, body, names))
    : items.map(post => listItem(post, names))
  return paged<PostListItem>(data, total, query)
}
