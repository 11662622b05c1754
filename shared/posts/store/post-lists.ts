// Shows part of a list of posts, to readers or admins: a page by its number, or what follows a cursor.
import * as z from 'zod/mini'
import type { Content } from '../../cache/content.ts'
import { findCategoryIdBySlug } from '../../categories/store.ts'
import { type Pagination, paginationOf, type Reply, uncountedPagination } from '../../http/reply.ts'
import { type List, type ListPage, listAfter, listPage, type WalkPart } from '../../lists/counted-list.ts'
import { type CursorPlace, openCursor, sealCursor } from '../../lists/cursor.ts'
import { findById, type Table } from '../../table/client.ts'
import { postKey } from '../../table/design.ts'
import type { AdminListItem, ContentType, ListOrder, PostListItem } from '../fields.ts'
import { adminList, categoryList, listEntriesOf, PAGES, POSTS, scheduledOrders } from '../lists.ts'
import { isLive, Post, PostEntry } from '../post.ts'
import { adminListItem, listItem, singlePost } from '../view.ts'
import { withBodies } from './bodies.ts'
import { findSlugLock, lastAt, namesFor } from './posts.ts'
import { listScheduled } from './scheduled.ts'

/** Not both `page` and `after`. */
export type PartQuery = {
  page?: number | undefined
  per_page: number
  after?: string | undefined
  order?: ListOrder | undefined
}
export type PublicListQuery = PartQuery & { include?: 'body' | undefined }
export type ListPostsQuery = PublicListQuery & { category?: string | undefined }

/** An unknown category has no posts. */
export async function showPublicPosts(
  content: Content,
  query: ListPostsQuery,
  at: CursorPlace,
): Promise<Reply<PostListItem[]>> {
  if (query.category === undefined) return await showPublicList(content, POSTS, query, at)
  const id = await findCategoryIdBySlug(content.namesTable, query.category)
  if (id !== undefined) return await showPublicList(content, categoryList(id), query, at)
  return replyWith<PostListItem>([], wholePart([], query, at), at)
}

/** Throws VALIDATION_ERROR on a wrong cursor, like every function `show…` here. */
export async function showPublicList(
  content: Content,
  declared: List,
  query: PublicListQuery,
  at: CursorPlace,
): Promise<Reply<PostListItem[]>> {
  const nowSeconds = Math.floor(content.nowMs / 1000)
  const list: List = query.order === 'oldest' ? { ...declared, order: 'ascending' } : declared
  const { items, ...part } = await readPart(publicReads(content.table, list, nowSeconds), query, at)
  return replyWith(await publicItems(content, items, query.include), part, at)
}

/** As readers see them: in the form of a list, or with `include` in that of single posts. */
export async function publicItems(
  { table, namesTable, nowMs }: Pick<Content, 'table' | 'namesTable' | 'nowMs'>,
  posts: PostEntry[],
  include: PublicListQuery['include'],
): Promise<PostListItem[]> {
  const [names, withTexts] = await Promise.all([
    namesFor(namesTable, posts),
    include && withBodies(table, posts, Math.floor(nowMs / 1000)),
  ])
  return withTexts
    ? withTexts.map(({ post, body }) => singlePost(post, body, names))
    : posts.map(post => listItem(post, names))
}

type AdminPostsQuery = PartQuery & {
  drafts_only: boolean
  content_type?: ContentType | undefined
  slug?: string | undefined
}

/** `namesTable`: the table, read as it is for the names of authors and categories. */
export async function showAdminList(
  table: Table,
  namesTable: Table,
  query: AdminPostsQuery,
  at: CursorPlace,
  nowMs: number,
): Promise<Reply<AdminListItem[]>> {
  const { items, ...part } =
    query.slug === undefined
      ? await readPart(adminReads(table, adminList(query.drafts_only, query.content_type)), query, at)
      : await listBySlug(table, query, query.slug, at)
  const names = await namesFor(namesTable, items, table)
  const nowSeconds = Math.floor(nowMs / 1000)
  return replyWith(
    items.map(post => adminListItem(post, names, nowSeconds)),
    part,
    at,
  )
}

/** A list of the post with this slug, or an empty list if the other filters exclude the post. */
async function listBySlug(
  table: Table,
  query: AdminPostsQuery,
  slug: string,
  at: CursorPlace,
): Promise<ListPart> {
  const lock = await findSlugLock(table, slug)
  const post = lock && (await table.find(postKey(lock.id), Post))
  const isMatch =
    post &&
    (!query.drafts_only || !post.is_published) &&
    (query.content_type ?? post.content_type) === post.content_type
  return wholePart(isMatch ? [post] : [], query, at)
}

/** How a list is read: a page by its number, or what follows an order key. */
type Reads = {
  page: (page: number, count: number) => Promise<ListPage<PostEntry>>
  after: (order: string, count: number) => Promise<WalkPart<PostEntry>>
}

/** About 4 read units of scheduled posts: with more of them it costs less to count them in a list. */
const FEW = 100

/** Neither items nor totals include scheduled posts. */
export function publicReads(table: Table, list: List, nowSeconds: number): Reads {
  const isByDate = list.name !== PAGES.name
  const below = isByDate ? lastAt(nowSeconds) : undefined
  const after = (order: string, count: number) =>
    listAfter(table, { list, after: order, count, below }, PostEntry, post => isLive(post, nowSeconds))
  const page = async (pageNumber: number, perPage: number): Promise<ListPage<PostEntry>> => {
    const query = { list, page: pageNumber, perPage }
    if (below !== undefined) {
      const above = listScheduled(table, nowSeconds, FEW + 1).then(rows =>
        rows.length > FEW ? undefined : scheduledOrders(list.name, rows).length,
      )
      return await listPage(table, { ...query, below, above }, PostEntry)
    }
    // Pages sort by title, so the scheduled ones are among the others.
    const hidden = listScheduled(table, nowSeconds).then(rows => scheduledOrders(list.name, rows))
    const part = await listPage(table, { ...query, hidden }, PostEntry)
    // A scheduled page may be retracted, or get another title, between the reads of both.
    return { ...part, items: part.items.filter(post => isLive(post, nowSeconds)) }
  }
  return { page, after }
}

/** The entries of lists for admins. */
const AdminEntry = z.object({ id: z.int() })

export function adminReads(table: Table, list: List): Reads {
  /** In the order of the entries, without posts that have left the list since they were read. */
  const withRecords = async <Part extends { items: z.infer<typeof AdminEntry>[] }>(part: Part) => {
    const byId = await findById(
      table,
      part.items.map(({ id }) => postKey(id)),
      Post,
    )
    const posts = part.items.flatMap(({ id }) => byId.get(id) ?? [])
    const isListed = (post: Post) => listEntriesOf(post).some(entry => entry.list.name === list.name)
    return { ...part, items: posts.filter(isListed) }
  }
  return {
    page: async (page, perPage) => withRecords(await listPage(table, { list, page, perPage }, AdminEntry)),
    after: async (after, count) => withRecords(await listAfter(table, { list, after, count }, AdminEntry)),
  }
}

/** What a cursor holds: the order key of the last item, and how many items come before the next one. */
const CursorPosition = z.object({ order: z.string(), before: z.int() })
type CursorPosition = z.infer<typeof CursorPosition>

/** `next` is undefined at the end of the list. */
type ListPart = { items: PostEntry[]; pagination: Pagination; next: CursorPosition | undefined }

async function readPart(reads: Reads, query: PartQuery, at: CursorPlace): Promise<ListPart> {
  const { page = 1, per_page } = query
  const position = positionOf(query, at)
  if (position) return uncounted(await reads.after(position.order, per_page), position.before, per_page)
  const { items, last, total, hasMore } = await reads.page(page, per_page)
  const before = (page - 1) * per_page
  const goesOn = last !== undefined && (hasMore ?? (await reads.after(last, 1)).items.length > 0)
  const next = goesOn ? { order: last, before: before + items.length } : undefined
  return { items, pagination: paginationOf(page, per_page, total), next }
}

function uncounted({ items, last, hasMore }: WalkPart<PostEntry>, before: number, perPage: number): ListPart {
  const count = items.length
  return {
    items,
    pagination: uncountedPagination({ before, count, hasMore }, perPage),
    next: hasMore && last !== undefined ? { order: last, before: before + count } : undefined,
  }
}

/** A list that fits on page 1, such as that of one slug. Other pages and cursors find no items. */
function wholePart(items: PostEntry[], query: PartQuery, at: CursorPlace): ListPart {
  const position = positionOf(query, at)
  const { page = 1, per_page } = query
  const shown = position || page > 1 ? [] : items
  return { items: shown, pagination: paginationOf(page, per_page, items.length), next: undefined }
}

function positionOf({ after }: PartQuery, at: CursorPlace): CursorPosition | undefined {
  return after === undefined
    ? undefined
    : openCursor(after, { ...at, parameter: 'after', schema: CursorPosition })
}

function replyWith<Data>(
  data: Data[],
  { pagination, next }: Omit<ListPart, 'items'>,
  at: CursorPlace,
): Reply<Data[]> {
  return { data, pagination, cursor: { next: next === undefined ? null : sealCursor(next, at) } }
}
