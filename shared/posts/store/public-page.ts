// Shows a page of a public list. Entries, scheduled posts and categories are read in parallel.
import { listCachedCategories } from '../../categories/store/category-cache.ts'
import { paged, type Reply } from '../../http/reply.ts'
import type { List } from '../../lists/counted-list.ts'
import type { Table } from '../../table/client.ts'
import type { PostListItem } from '../fields.ts'
import { listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { namesFor } from './names.ts'
import { listPublic, type PageQuery } from './posts.ts'
import { listScheduled } from './scheduled.ts'

export async function showPublicPage(
  table: Table,
  list: List,
  query: PageQuery & { include?: 'body' | undefined },
  nowMs: number,
): Promise<Reply<PostListItem[]>> {
  const nowSeconds = Math.floor(nowMs / 1000)
  const [{ items, total }, categories] = await Promise.all([
    listPublic(table, list, query, listScheduled(table, nowSeconds), nowSeconds),
    listCachedCategories(table),
  ])
  const [names, postsWithBodies] = await Promise.all([
    namesFor(table, items, categories, nowMs),
    query.include && withBodies(table, items, nowSeconds),
  ])
  const data = postsWithBodies
    ? postsWithBodies.map(({ post, body }) => singlePost(post, body, names))
    : items.map(post => listItem(post, names))
  return paged<PostListItem>(data, total, query)
}
