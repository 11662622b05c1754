// Reads part of a list of posts: a page by its number, or what follows a cursor.
import * as z from 'zod/mini'
import { paginationOf } from '../../http/envelope.ts'
import { type Reply, withCursor } from '../../http/reply.ts'
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

/** `total` is left out where it is not counted. `next`: the order key after which the list goes on. */
export type ListPart = { items: PostEntry[]; total?: number; next: string | undefined }

type Reads = {
  page: (query: PageQuery) => Promise<ListPage<PostEntry>>
  after: (position: string, count: number) => Promise<WalkPart<PostEntry>>
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
    after: (after, count) => listForAdminAfter(table, { list, after, count }),
  })
}

export function checkCursor({ after }: PartQuery, at: CursorPlace): string | undefined {
  return after === undefined
    ? undefined
    : openCursor(after, { ...at, parameter: 'after', schema: z.string() })
}

async function readPart(query: PartQuery, at: CursorPlace, reads: Reads): Promise<ListPart> {
  const { per_page, order } = query
  const after = checkCursor(query, at)
  // The next post comes after a full part of the oldest ones, even if there is none yet.
  const isOldest = order === 'oldest'
  if (after !== undefined) {
    const { items, last, hasMore } = await reads.after(after, per_page)
    return { items, next: hasMore || (isOldest && items.length === per_page) ? last : undefined }
  }
  const { items, last, total } = await reads.page({ page: query.page ?? 1, per_page })
  if (isOldest) return { items, next: items.length === per_page ? last : undefined }
  return { items, total, next: await nextOf(query, { items, last, total }, reads) }
}

/** The total may be older than the items, so at its end the entry after the last one is looked for. */
async function nextOf(
  { page = 1, per_page }: PartQuery,
  { items, last, total }: ListPage<PostEntry>,
  reads: Reads,
): Promise<string | undefined> {
  if (last === undefined || page * per_page < total) return last
  if (items.length < per_page) return undefined
  return (await reads.after(last, 1)).items.length > 0 ? last : undefined
}

/**
 * Parts of the oldest posts are shown without pagination: its total would change full ones with every new
 * post.
 */
export function replyWith<Data>(
  data: Data[],
  { total, next }: Omit<ListPart, 'items'>,
  { page = 1, per_page }: PartQuery,
  at: CursorPlace,
): Reply<Data[]> {
  const reply = withCursor(data, { next: next === undefined ? null : sealCursor(next, at) })
  return total === undefined ? reply : { ...reply, pagination: paginationOf(page, per_page, total) }
}
