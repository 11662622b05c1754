// Whether public posts or pages show a category: then another name or slug changes more than the category.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { noteAfterwards } from '../../feed/commit.ts'
import { type List, listAfter } from '../../lists/counted-list.ts'
import { categoryList, PAGES } from '../../posts/lists.ts'
import { isLive, PostEntry } from '../../posts/post.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import type { Table } from '../../table/client.ts'
import { timeOrder } from '../../table/design.ts'

/** From when on a post or page shows the category: 0 if one does, Infinity if none will. */
export async function shownFromMs(table: Table, id: number, nowSeconds: number): Promise<number> {
  const below = timeOrder(nowSeconds, Number.MAX_SAFE_INTEGER)
  const [isOnPost, isOnPage, scheduled] = await Promise.all([
    isOnLive(table, { list: categoryList(id), below, most: 1 }, id, nowSeconds),
    isOnLive(table, { list: PAGES, below: undefined, most: MOST_PAGES }, id, nowSeconds),
    listScheduled(table, nowSeconds),
  ])
  if (isOnPost || isOnPage) return 0
  const next = scheduled.find(({ category_ids }) => category_ids.includes(id))
  return next ? next.posted_at * 1000 : Number.POSITIVE_INFINITY
}

/** With more pages, the category counts as shown. */
const MOST_PAGES = 1_000
const READ_AT_ONCE = 250

const ShownBy = z.lazy(() => z.pick(PostEntry, { is_published: true, posted_at: true, category_ids: true }))

async function isOnLive(
  table: Table,
  { list, below, most }: { list: List; below: string | undefined; most: number },
  id: number,
  nowSeconds: number,
): Promise<boolean> {
  let after: string | undefined
  for (let read = 0; read < most; read += READ_AT_ONCE) {
    const query = { list, after, below, count: Math.min(most, READ_AT_ONCE) }
    const { items, last, hasMore } = await listAfter(table, query, ShownBy)
    if (items.some(post => isLive(post, nowSeconds) && post.category_ids.includes(id))) return true
    if (!hasMore) return false
    after = last
  }
  return true
}

/** For a category that was not shown before its change: a post may have been published with it since. */
export async function noteIfShown({ table, clock }: UnitOfWork, id: number): Promise<void> {
  if ((await shownFromMs(table, id, Math.floor(clock() / 1000))) > clock()) return
  await noteAfterwards(table, [{ kind: 'all' }], clock)
}
