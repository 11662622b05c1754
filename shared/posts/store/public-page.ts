// A page of a public list as it is shown: entries, what waits for its time and categories read side by side.
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
  const [names, whole] = await Promise.all([
    namesFor(table, items, categories, nowMs),
    query.include && withBodies(table, items, nowSeconds),
  ])
  const shown = whole
    ? whole.map(({ post, body }) => singlePost(post, body, names))
    : items.map(post => listItem(post, names))
  return paged<PostListItem>(shown, total, query)
}
