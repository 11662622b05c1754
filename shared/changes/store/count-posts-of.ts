// Counts the posts and pages that show an author or a category, some at a time: too many are not listed.
import { CategoryRecord } from '../../categories/category.ts'
import { type List, rootAttributes, visibleCount } from '../../lists/counted-list.ts'
import { categoryList, PAGES, POSTS, scheduledOrders } from '../../posts/lists.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import { categoryKey } from '../../table/design.ts'
import type { PostsOf } from '../change.ts'
import type { Counting, Progress, Walk } from '../position.ts'
import { isShown, listOf, orderOf, type PostsReader, READ_AT_ONCE, readPart } from './shown-posts.ts'

/** Undefined if there are too many. They are counted first where lists could hold too many. */
export async function beginning(reader: PostsReader, { shown, id }: PostsOf): Promise<Progress | undefined> {
  const { table, limits } = reader
  const totalOf = async ({ root: key }: List) => {
    const root = await table.find(key, rootAttributes)
    return root ? visibleCount(root, 0) : 0
  }
  const [category, posts, pages] = await Promise.all([
    shown === 'category' ? table.find(categoryKey(id), CategoryRecord) : undefined,
    totalOf(POSTS),
    totalOf(PAGES),
  ])
  if (!category) {
    const isSmall = posts + pages <= limits.posts
    return isSmall ? { walk: { list: 'posts' } } : { counting: { list: 'posts', counted: 0 } }
  }
  const counted = await dueIn(reader, category)
  if (counted > limits.posts) return undefined
  const walk: Walk = { list: 'category' }
  return counted + pages <= limits.posts ? { walk } : { counting: { list: 'pages', counted, walk } }
}

/** The list of a category also contains scheduled posts. */
async function dueIn({ table, nowSeconds, limits }: PostsReader, category: CategoryRecord): Promise<number> {
  const all = visibleCount(category, 0)
  if (all <= limits.posts) return all
  const scheduled = await listScheduled(table, nowSeconds)
  return visibleCount(category, scheduledOrders(categoryList(category.id).name, scheduled).length)
}

/** Reads as many entries as one answer may. Undefined if there are too many. */
export async function countPosts(
  reader: PostsReader,
  of: PostsOf,
  from: Counting,
): Promise<Progress | undefined> {
  let { list, after, counted, walk } = from
  for (let left = reader.limits.read; left > 0; ) {
    const part = await readPart(reader, of.id, { list, after }, Math.min(left, READ_AT_ONCE))
    left -= part.items.length
    for (const item of part.items) {
      const order = orderOf(item, listOf({ list }, of.id))
      if (isShown(of, item)) {
        counted++
        // A key of the list `posts` is short; one of `pages` may be too long to be in a cursor as well.
        if (list === 'posts') walk = { list, ...(after !== undefined && { after }), ...walk, until: order }
      }
      after = order
    }
    if (counted > reader.limits.posts) return undefined
    if (part.hasMore) continue
    if (list === 'pages') return { walk: walk ?? { list: 'pages' } }
    list = 'pages'
    after = undefined
  }
  return { counting: { list, after, counted, walk } }
}
