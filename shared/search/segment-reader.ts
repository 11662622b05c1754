// Reads segments. Searches keep their items in memory, since they never change; merges and checks read a
// whole segment, term by term.
import * as z from 'zod/mini'
import { type ByteCache, openByteCache } from '../cache/byte-cache.ts'
import { perTable, type Table } from '../table/client.ts'
import { slices } from '../table/concurrency.ts'
import { type Key, segmentItemKey } from '../table/design.ts'
import { type Entry, isPrefixTerm } from './entry.ts'
import type { Segment } from './manifest.ts'
import { decompressPage, listsOf, type PageIndex, packedEntriesIn, unpackBlock, unpackIndex } from './page.ts'
import { isLarge, type Posting, type PostingList } from './posting.ts'

/** Thrown if a segment was merged into another one and deleted since the manifest was read. */
export class SegmentDeleted extends Error {
  override name = 'SegmentDeleted'
}

type ItemRef = { segment: string; n: number }

const StoredItem = z.lazy(() => z.object({ pk: z.string(), bytes: z.instanceof(Uint8Array) }))

/** The bytes of items as stored, by their name. Throws SegmentDeleted if one does not exist. */
async function readItems(table: Table, keys: Key[]): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  // An eventual read costs half, and may be too early for a new segment.
  for (const isEventual of [true, false]) {
    const missing = keys.filter(({ pk }) => !found.has(pk))
    for (const item of await table.findMany(missing, { isEventual })) {
      const { pk, bytes } = StoredItem.parse(item)
      found.set(pk, bytes)
    }
  }
  for (const { pk } of keys) {
    if (!found.has(pk)) throw new SegmentDeleted(`The item ${pk} of the search index does not exist.`)
  }
  return found
}

/** What a function keeps in memory; the least used leave first. */
const cachesOf = perTable(() => ({
  indexes: openByteCache<PageIndex>(6_000_000, ({ terms }) => 60 * terms.length),
  pages: openByteCache<Uint8Array>(10_000_000, ({ length }) => length),
  blocks: openByteCache<Posting[]>(16_000_000, ({ length }) => 80 * length),
}))

/** In order. Reads those that are not in memory, all in one round trip. */
async function readKept<T>(
  table: Table,
  cache: ByteCache<T>,
  refs: ItemRef[],
  unpack: (bytes: Uint8Array) => T,
): Promise<T[]> {
  const keys = refs.map(({ segment, n }) => segmentItemKey(segment, n))
  const values = new Map(keys.map(({ pk }) => [pk, cache.get(pk)]))
  const different = new Map(keys.map(key => [key.pk, key])).values()
  const missing = [...different].filter(({ pk }) => values.get(pk) === undefined)
  for (const [name, bytes] of await readItems(table, missing)) {
    const value = unpack(bytes)
    values.set(name, value)
    cache.set(name, value)
  }
  return keys.flatMap(({ pk }) => values.get(pk) ?? [])
}

/** The indexes of the segments, in order. One of a single page has none. */
export async function readIndexes(table: Table, segments: Segment[]): Promise<PageIndex[]> {
  const stored = segments.filter(({ hasIndex }) => hasIndex)
  const refs = stored.map(({ name, items }) => ({ segment: name, n: items - 1 }))
  const read = await readKept(table, cachesOf(table).indexes, refs, unpackIndex)
  const byName = new Map(stored.map(({ name }, n) => [name, read[n]]))
  return segments.map(({ name, items }) => byName.get(name) ?? { terms: [''], pages: [items - 1] })
}

/** Decompressed pages, in order. */
export function readPages(table: Table, refs: ItemRef[]): Promise<Uint8Array[]> {
  return readKept(table, cachesOf(table).pages, refs, decompressPage)
}

/** The postings of blocks, in order. */
export function readBlocks(table: Table, refs: ItemRef[]): Promise<Posting[][]> {
  return readKept(table, cachesOf(table).blocks, refs, unpackBlock)
}

/** Small enough that a few dozen segments fit into memory together. */
const PAGES_AT_ONCE = 25

/** Reads items of one segment by their numbers. */
type ReadNumbers = (numbers: number[]) => Promise<Uint8Array[]>

/** In the order of their terms. The terms of prefixes are left out: the words tell them. */
export async function* entriesOfSegment(table: Table, segment: Segment): AsyncGenerator<Entry, void, void> {
  const [index] = await readIndexes(table, [segment])
  const read: ReadNumbers = async numbers => {
    const keys = numbers.map(n => segmentItemKey(segment.name, n))
    const items = await readItems(table, keys)
    return keys.flatMap(({ pk }) => items.get(pk) ?? [])
  }
  if (index) yield* entriesOfPages(index.pages, read)
}

export async function* entriesOfPages(pages: number[], read: ReadNumbers): AsyncGenerator<Entry, void, void> {
  for (const some of slices(pages, PAGES_AT_ONCE)) {
    for (const page of await read(some)) {
      for (const entry of packedEntriesIn(decompressPage(page))) {
        if (isPrefixTerm(entry.term)) continue
        const { plus, minus } = listsOf('', entry)
        yield { term: entry.term, plus: await readAll(read, plus), minus: await readAll(read, minus) }
      }
    }
  }
}

/** Without keeping the blocks in memory. */
async function readAll(read: ReadNumbers, list: PostingList): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings
  return (await read(list.blocks.map((_, n) => list.first + n))).flatMap(unpackBlock)
}
