// Lists the posts and pages that show an author or a category, some of them at a time.
import * as z from 'zod/mini'
import { CategoryRecord } from '../../categories/category.ts'
import { type List, rootAttributes, visibleCount } from '../../lists/counted-list.ts'
import { listAfter } from '../../lists/walk.ts'
import { categoryList, PAGES, POSTS, publicListEntries } from '../../posts/lists.ts'
import { PostEntry } from '../../posts/post.ts'
import type { Table } from '../../table/client.ts'
import { categoryKey } from '../../table/design.ts'
import type { PostsOf, Target } from '../change.ts'
import { endOf, type Walk } from '../position.ts'

/** With more posts than this, all content is pulled again. */
const MAX_POSTS = 10_000
/** Entries that one answer reads to find those of an author or a deleted category, and in one query. */
const MAX_READ = 1_000
const READ_AT_ONCE = 250

const ShownBy = z.lazy(() =>
  z.pick(PostEntry, {
    id: true,
    title: true,
    content_type: true,
    author_id: true,
    category_ids: true,
    is_published: true,
    posted_at: true,
  }),
)

type Reader = { table: Table; nowSeconds: number }

/** `next`: where to go on; undefined at the end. */
export type PostsPart = { targets: Target[]; next: Walk | undefined }

/** At most `room` of them, from a position on. */
export async function postsOf(
  reader: Reader,
  of: PostsOf,
  walk: Walk | undefined,
  room: number,
): Promise<PostsPart> {
  const targets: Target[] = []
  let next: Walk | undefined = walk ?? (await beginning(reader.table, of))
  if (next === undefined) return { targets: [{ kind: 'all' }], next }
  let read = 0
  while (next && read < MAX_READ && targets.length < room) {
    const part = await partOf(reader, of, next, room - targets.length)
    for (const target of part.targets) targets.push(target)
    read += part.read
    next = part.next
  }
  return { targets, next }
}

/** Undefined if there are too many. */
async function beginning(table: Table, { shown, id }: PostsOf): Promise<Walk | undefined> {
  const category = shown === 'category' ? await table.find(categoryKey(id), CategoryRecord) : undefined
  if (category) return visibleCount(category, 0) > MAX_POSTS ? undefined : { list: 'category' }
  const roots = await Promise.all([POSTS, PAGES].map(({ root }) => table.find(root, rootAttributes)))
  const total = roots.reduce((sum, root) => sum + (root ? visibleCount(root, 0) : 0), 0)
  return total > MAX_POSTS ? undefined : { list: 'posts' }
}

function listOf({ list }: Walk, id: number): List {
  if (list === 'pages') return PAGES
  return list === 'posts' ? POSTS : categoryList(id)
}

async function partOf(
  { table, nowSeconds }: Reader,
  of: PostsOf,
  walk: Walk,
  room: number,
): Promise<PostsPart & { read: number }> {
  const list = listOf(walk, of.id)
  const count = walk.list === 'category' ? room : READ_AT_ONCE
  const below = walk.list === 'pages' ? undefined : endOf(nowSeconds)
  const { items, hasMore } = await listAfter(table, { list, after: walk.after, count, below }, ShownBy)
  const found = items.filter(item => isShown(of, item))
  const last = found.length > room ? found[room - 1] : items.at(-1)
  const taken = found.slice(0, room)
  const targets = taken.map((item): Target => ({ kind: 'post', type: item.content_type, id: item.id }))
  const isOver = !hasMore && found.length <= room
  const order = last && publicListEntries(last).find(entry => entry.list.name === list.name)?.order
  const next: Walk | undefined = isOver
    ? after(walk)
    : { list: walk.list, ...(order !== undefined && { after: order }) }
  return { targets, next, read: items.length }
}

function after({ list }: Walk): Walk | undefined {
  return list === 'pages' ? undefined : { list: 'pages' }
}

function isShown({ shown, id }: PostsOf, post: z.infer<typeof ShownBy>): boolean {
  return shown === 'author' ? post.author_id === id : post.category_ids.includes(id)
}
