// What a handler returns, and the envelope of every answer with its `pagination`.
import * as z from 'zod/mini'
import type { ErrorCode, Fields } from './errors.ts'
import { members } from './members.ts'

export type Reply<Data = unknown> = {
  data: Data
  pagination?: Pagination
  cursor?: Cursor
  /** The record's version, the first part of the strong ETag `"<version>.<hash>"`. */
  version?: number
  /** The headers of this answer alone. They replace those of every answer. */
  headers?: Readonly<Record<string, string>>
  /** The whole body, in place of `data` in its envelope. */
  body?: AnswerBody
  /** It may change without a change of public content, so it is not remembered. */
  isVolatile?: boolean
}

/** JSON, and its ETag if the answer has one. */
export type AnswerBody = { json: string; etag: string | undefined }

export function reply<Data>(data: Data): Reply<Data> {
  return { data }
}

/** The reply of an endpoint that has nothing to return. */
export function noData(): Reply<Record<string, never>> {
  return reply({})
}

export function versioned<Data>(data: Data, version: number): Reply<Data> {
  return { data, version }
}

export function paged<Data>(
  { items, total }: { items: Data[]; total: number },
  { page, per_page }: { page: number; per_page: number },
): Reply<Data[]> {
  return { data: items, pagination: paginationOf(page, per_page, total) }
}

/** The reply of a list that is read by cursor. */
export function withCursor<Data>(items: Data[], cursor: Cursor): Reply<Data[]> {
  return { data: items, cursor }
}

export const Pagination = members({
  current_page: [z.int(), 'Number of this page.'],
  per_page: [z.int(), 'Items per page.'],
  total: [z.int(), 'Number of items in the whole list.'],
  last_page: [z.int(), 'Number of the last page, at least 1.'],
  from: [z.int(), 'Position in the list of the first item on this page, from 1. 0 if the page is empty.'],
  to: [z.int(), 'Position in the list of the last item on this page. 0 if the page is empty.'],
})
export type Pagination = z.infer<typeof Pagination>

/** `next` continues the list: null at its end. */
export type Cursor = { next: string | null; more?: boolean }

type ListMembers = { pagination?: Pagination | undefined; cursor?: Cursor | undefined }

export function success(message: string, data: unknown, { pagination, cursor }: ListMembers = {}) {
  return {
    success: true,
    message,
    data,
    ...(pagination && { pagination }),
    ...(cursor && { cursor }),
  }
}

export function failure(code: ErrorCode, message: string, fields?: Fields) {
  return {
    success: false,
    message,
    errors: { code, ...(fields && { fields }) },
  }
}

/** For a part of a list that is not counted: `before` items precede its `count`, and more may follow. */
export function uncountedPagination(
  { before, count, hasMore }: { before: number; count: number; hasMore: boolean },
  perPage: number,
): Pagination {
  const counted = paginationOf(Math.floor(before / perPage) + 1, perPage, before + count + (hasMore ? 1 : 0))
  return { ...counted, from: count === 0 ? 0 : before + 1, to: count === 0 ? 0 : before + count }
}

/** `from` and `to` are 0 after the last page. An empty list has one page. */
export function paginationOf(page: number, perPage: number, total: number): Pagination {
  const from = (page - 1) * perPage + 1
  const isPastEnd = from > total
  return {
    current_page: page,
    per_page: perPage,
    total,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    from: isPastEnd ? 0 : from,
    to: isPastEnd ? 0 : Math.min(from + perPage - 1, total),
  }
}
