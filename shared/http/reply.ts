// What a handler gives back: data, and what the chain makes headers of.
import { type Pagination, paginationOf } from './envelope.ts'

export type Reply<Data = unknown> = {
  data: Data
  pagination?: Pagination
  /** The record's version: makes the strong ETag `"<version>.<hash>"`. */
  version?: number
}

export const reply = <Data>(data: Data): Reply<Data> => ({ data })

export const versioned = <Data>(data: Data, version: number): Reply<Data> => ({ data, version })

export const paged = <Data>(
  items: Data[],
  total: number,
  { page, per_page }: { page: number; per_page: number },
): Reply<Data[]> => ({ data: items, pagination: paginationOf(page, per_page, total) })
