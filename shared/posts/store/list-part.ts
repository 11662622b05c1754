// Reads part of a list of posts: a page by its number, or what follows a cursor.
import * as z from 'zod/mini'
import { type Pagination, paginationOf, type Reply, uncountedPagination } from '../../http/reply.ts'
import type { List, ListPage, WalkPart } from '../../lists/counted-list.ts'
import { type CursorPlace, openCursor, sealCursor } from '../../lists/cursor.ts'
import type { Table } from '../../table/client.ts'
import type { ListOrder } from '../fields.ts'
import type { PostEntry } from '../post.ts'
import { listForAdmin, listForAdminAfter, listPublic, listPublicAfter, type PageQuery } from './posts.ts'

/** Not both `page` and `after`. */
export type PartQuery = {
  page?: number | undefined
  per_page: number
  after?: string | undefined
  order?: ListOrder | undefined
}

/** What a cursor holds: the order key of the last item, and how many items come before the next one. */
const Position = z.object({ order: z.string(), before: z.int() })
type Position = z.infer<typeof Position>

/** `next` is undefined at the end of the list. */
export type ListPart = { items: PostEntry[]; pagination: Pagination; next: Position | undefined }

type Reads = {
  page: (query: PageQuery) => Promise<ListPage<PostEntry>>
  after: (order: string, count: number) => Promise<WalkPart<PostEntry>>
}

/** Throws VALIDATION_ERROR on a wrong cursor. */
export async function publicPart(
  table: Table,
  declared: List,
  query: PartQuery,
  at: CursorPlace,
  nowSeconds: number,
): Promise<ListPart> {
  const list: List = query.order === 'oldest' ? { ...declared, order: 'ascending' } : declared
  return await readPart(query, at, {
    page: pageQuery => listPublic(table, list, pageQuery, nowSeconds),
    after: (after, count) => listPublicAfter(table, { list, after, count }, nowSeconds),
  })
}

/** Throws VALIDATION_ERROR on a wrong cursor. */
export async function adminPart(
  table: Table,
  list: List,
  query: PartQuery,
  at: CursorPlace,
): Promise<ListPart> {
  return await readPart(query, at, {
    page: pageQuery => listForAdmin(table, list, pageQuery),
    after: (after, count) => listForAdminAfter(table, list, after, count),
  })
}

/** The end of a list, after a cursor or not, with the total of what matches. */
export function wholePart(items: PostEntry[], query: PartQuery, at: CursorPlace): ListPart {
  const position = positionOf(query, at)
  const { page = 1, per_page } = query
  const shown = position || page > 1 ? [] : items
  return { items: shown, pagination: paginationOf(page, per_page, items.length), next: undefined }
}

export function replyWith<Data>(
  data: Data[],
  { pagination, next }: Omit<ListPart, 'items'>,
  at: CursorPlace,
): Reply<Data[]> {
  return { data, pagination, cursor: { next: next === undefined ? null : sealCursor(next, at) } }
}

function positionOf({ after }: PartQuery, at: CursorPlace): Position | undefined {
  return after === undefined ? undefined : openCursor(after, { ...at, parameter: 'after', schema: Position })
}

async function readPart(query: PartQuery, at: CursorPlace, reads: Reads): Promise<ListPart> {
  const { page = 1, per_page } = query
  const position = positionOf(query, at)
  if (position) return uncounted(await reads.after(position.order, per_page), position.before, per_page)
  const { items, last, total, hasMore } = await reads.page({ page, per_page })
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
