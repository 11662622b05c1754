// A page of a public list as it is shown: entries, what waits for its time and categories read side by side.
import { knownCategories } from '../categories/known.ts'
import { paged, type Reply } from '../http/reply.ts'
import type { Table } from '../table/client.ts'
import type { List } from '../table/counted-list.ts'
import type { PostListItem } from './fields.ts'
import { namesFor } from './names.ts'
import { listWaiting } from './scheduled.ts'
import { listPublic, type PageAsked, withBodies } from './store.ts'
import { listItem, singlePost } from './view.ts'

export const showPublicPage = async (
  table: Table,
  list: List,
  query: PageAsked & { include?: 'body' | undefined },
  nowMs: number,
): Promise<Reply<PostListItem[]>> => {
  const now = Math.floor(nowMs / 1000)
  const [{ items, total }, categories] = await Promise.all([
    listPublic(table, list, query, listWaiting(table, now), now),
    knownCategories(table),
  ])
  const [names, whole] = await Promise.all([
    namesFor(table, items, categories, nowMs),
    query.include && withBodies(table, items, now),
  ])
  const shown = whole
    ? whole.map(({ post, body }) => singlePost(post, body, names))
    : items.map(post => listItem(post, names))
  return paged<PostListItem>(shown, total, query)
}
