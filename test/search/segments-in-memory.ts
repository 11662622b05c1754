// Segments of generated documents, written and read without a table.
import { expect } from 'vitest'
import type { SearchDocument } from '../../shared/search/document.ts'
import type { DocumentChange, Entry } from '../../shared/search/entry.ts'
import { unpackIndex } from '../../shared/search/page.ts'
import { entriesOfPages } from '../../shared/search/segment-reader.ts'
import { openSegmentWriter, type SegmentItem } from '../../shared/search/segment-writer.ts'

/** More than fit into a page of terms, and into a block. */
export const POSTS = 2_500
const WORDS = ['every', 'even', 'evening', 'third', 'thistle', 'ab', 'abc', 'été', '東京', '😀x']

export function docOf(id: number, version: number): SearchDocument {
  const body = WORDS.filter((_, n) => n === 0 || (id + version) % (n + 1) === 0).sort()
  const rare = [`rare${id}`, `rare${id}v${version}`].sort()
  return {
    id,
    posted_at: 1_000 + (id % 50),
    is_page: id % 9 === 0,
    category_ids: [1 + (id % 3)],
    body_sha256: '',
    title: rare,
    short: [],
    body,
  }
}

export type Written = { items: SegmentItem[]; pages: number[] }

export function write(entries: Entry[], hasPrefixes: boolean): Written {
  const writer = openSegmentWriter({ hasPrefixes })
  for (const entry of entries) writer.add(entry)
  const { items: count, hasIndex } = writer.finish()
  const items = writer.take()
  expect(items.map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, n) => n))
  const last = items.at(-1)?.bytes ?? new Uint8Array()
  return { items, pages: hasIndex ? unpackIndex(last).pages : [count - 1] }
}

export function read({ items, pages }: Written) {
  return entriesOfPages(pages, async numbers => numbers.map(n => items[n]?.bytes ?? new Uint8Array()))
}

export async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

export function added(ids: number[], version = 1): DocumentChange[] {
  return ids.map(id => ({ before: undefined, after: docOf(id, version) }))
}

export function idsUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1)
}
