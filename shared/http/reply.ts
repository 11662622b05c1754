// What a handler returns: the data, and what the chain turns into headers.
import { EmptyData } from './endpoint.ts'
import { type Cursor, type Pagination, paginationOf } from './envelope.ts'

export type Reply<Data = unknown> = {
  data: Data
  pagination?: Pagination
  cursor?: Cursor
  /** The record's version, the first part of the strong ETag `"<version>.<hash>"`. */
  version?: number
  /** It may change without a change of public content, so it is not remembered. */
  isVolatile?: boolean
}

export function reply<Data>(data: Data): Reply<Data> {
  return { data }
}

/** The reply of an endpoint whose data is `EmptyData`. */
export function noData() {
  return reply(EmptyData.parse({}))
}

export function versioned<Data>(data: Data, version: number): Reply<Data> {
  return { data, version }
}

export function paged<Data>(
  items: Data[],
  total: number,
  { page, per_page }: { page: number; per_page: number },
): Reply<Data[]> {
  return { data: items, pagination: paginationOf(page, per_page, total) }
}

/** Of a list that is read by cursor. */
export function withCursor<Data>(items: Data[], cursor: Cursor): Reply<Data[]> {
  return { data: items, cursor }
}
