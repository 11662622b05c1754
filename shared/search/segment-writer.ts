// Writes a segment from entries in the order of their terms: pages, blocks of long lists, at last an index.
// Items are numbered in the order in which they are written.
import { randomBytes } from 'node:crypto'
import type { Table } from '../table/client.ts'
import { slices } from '../table/concurrency.ts'
import { type Item, segmentItemKey } from '../table/design.ts'
import { type Entry, hasPrefixes, openPrefixes } from './entry.ts'
import { type Manifest, NO_SEGMENTS, type Segment, saveManifest } from './manifest.ts'
import {
  compressPage,
  type PackedEntry,
  type PageIndex,
  packBlock,
  packEntry,
  packIndex,
  packList,
} from './page.ts'
import { blocksOf, countsOf, MAX_INLINE, type Posting, type PostingList } from './posting.ts'

const ITEMS_AT_ONCE = 100

/** Names the segment in the manifest first, so that a later run deletes it if this one is killed. */
export async function startSegment(
  table: Table,
  before: Manifest | undefined,
): Promise<{ manifest: Manifest; name: string }> {
  const name = randomBytes(9).toString('base64url')
  const { building, ...rest } = before ?? NO_SEGMENTS
  return { name, manifest: await saveManifest(table, before, { ...rest, building: [...building, name] }) }
}

/** Deletes what a killed run was writing. If the run is only slow, it can save no manifest from now on. */
export async function removeAbandoned(table: Table, before: Manifest): Promise<Manifest> {
  if (before.building.length === 0) return before
  const manifest = await saveManifest(table, before, before)
  for (const name of manifest.building) await removeUnfinished(table, name)
  return await saveManifest(table, manifest, { ...manifest, building: [] })
}

/** No search reads the segment until a manifest names it. */
export async function writeSegment(
  table: Table,
  name: string,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
): Promise<Segment> {
  let items: Item[] = []
  let count = 0
  const flush = async () => {
    for (const some of slices(items, ITEMS_AT_ONCE)) await table.putMany(some)
    items = []
  }
  const writer = openSegmentWriter(bytes => {
    items.push({ ...segmentItemKey(name, count), bytes })
    return count++
  })
  for await (const entry of entries) {
    writer.add(entry)
    if (items.length >= ITEMS_AT_ONCE) await flush()
  }
  const finished = writer.finish()
  await flush()
  return { name, items: count, ...finished }
}

export async function removeSegment(
  table: Table,
  { name, items }: Pick<Segment, 'name' | 'items'>,
): Promise<void> {
  const keys = Array.from({ length: items }, (_, n) => segmentItemKey(name, n))
  for (const some of slices(keys, ITEMS_AT_ONCE)) await table.removeMany(some)
}

/** Deletes what was written of a segment, last items first: what a crash leaves is found again. */
async function removeUnfinished(table: Table, name: string): Promise<void> {
  let end = 0
  for (;;) {
    const keys = Array.from({ length: ITEMS_AT_ONCE }, (_, n) => segmentItemKey(name, end + n))
    if ((await table.findMany(keys)).length === 0) break
    end += ITEMS_AT_ONCE
  }
  const keys = Array.from({ length: end }, (_, n) => segmentItemKey(name, end - 1 - n))
  for (const some of slices(keys, ITEMS_AT_ONCE)) await table.removeMany(some)
}

/** Pages of a long index are larger, so that the index fits into one item. */
const MAX_PAGES = 12_000

/** `write` stores an item and returns its number. The first entry is that of all posts. */
export function openSegmentWriter(write: (bytes: Uint8Array) => number) {
  let counts: Pick<Segment, 'added' | 'removed'> | undefined
  const index: PageIndex = { terms: [], pages: [] }
  const prefixes = openPrefixes()
  const filler = openPageFiller()

  const writePage = ({ term, bytes }: FilledPage): void => {
    index.terms.push(term)
    index.pages.push(write(bytes))
  }

  const listOf = (postings: Posting[]): PostingList => {
    if (postings.length <= MAX_INLINE) return { postings }
    const blocks = blocksOf(postings)
    const [first = 0] = blocks.map(block => write(packBlock(block)))
    const counted = blocks.flatMap(block => (block[0] ? [{ bound: block[0], ...countsOf(block) }] : []))
    return { segment: '', first, blocks: counted }
  }

  const put = ({ term, plus, minus }: Entry): void => {
    if (plus.length + minus.length === 0) return
    const packed = { term, plus: packList(listOf(plus)), minus: packList(listOf(minus)) }
    const full = filler.add(packed, pageBytes())
    if (full) writePage(full)
  }

  const pageBytes = (): number => PAGE_BYTES * 2 ** Math.floor(index.pages.length / MAX_PAGES)

  const endPrefixes = (term: string | undefined): void => {
    if (counts && hasPrefixes(counts)) for (const entry of prefixes.endBefore(term)) put(entry)
  }

  const add = (entry: Entry): void => {
    counts ??= { added: entry.plus.length, removed: entry.minus.length }
    endPrefixes(entry.term)
    put(entry)
    if (hasPrefixes(counts)) prefixes.add(entry)
  }

  /** A segment of one page needs no index: its last item is the page. */
  const finish = (): Omit<Segment, 'name' | 'items'> => {
    endPrefixes(undefined)
    for (const page of filler.end(pageBytes())) writePage(page)
    const hasIndex = index.pages.length !== 1
    if (hasIndex) write(packIndex(index))
    return { hasIndex, ...(counts ?? { added: 0, removed: 0 }) }
  }

  return { add, finish }
}

/** A page by its first term, compressed. */
type FilledPage = { term: string; bytes: Uint8Array }

/** The key and the names of attributes take the rest of one read unit, or four write units. */
const PAGE_BYTES = 4_050
/** A page with less room than a few entries need is full. */
const ROOM = 60
/** What compression leaves of a page is known after the first one. */
const FIRST_RATIO = 0.5
/** An estimate that is too high costs another compression, as one that is too low. */
const CAUTION = 0.98
const LONGEST_PAGE = 60_000

function openPageFiller() {
  let entries: PackedEntry[] = []
  let packed: Uint8Array[] = []
  let [length, tryAt, ratio] = [0, 0, FIRST_RATIO]

  const append = (entry: PackedEntry): void => {
    const bytes = packEntry(entry, entries.at(-1)?.term ?? '')
    entries.push(entry)
    packed.push(bytes)
    length += bytes.length
  }

  /** The first entries, as many as fit and at least one. The others begin the next page. */
  const cutPage = (whole: Uint8Array, most: number): FilledPage => {
    let [bytes, count] = [whole, entries.length]
    while (bytes.length > most && count > 1) {
      for (let excess = (bytes.length - most) / ratio; excess > 0 && count > 1; ) {
        excess -= packed[--count]?.length ?? 0
      }
      bytes = compressPage(packed.slice(0, count))
    }
    const page = { term: entries[0]?.term ?? '', bytes }
    const others = entries.slice(count)
    entries = []
    packed = []
    length = 0
    for (const entry of others) append(entry)
    return page
  }

  /** Returns a page if it is full. `most`: the most bytes of a page. */
  const add = (entry: PackedEntry, most: number): FilledPage | undefined => {
    if (length === 0) tryAt = estimate(most)
    append(entry)
    if (length < tryAt) return undefined
    const bytes = compressPage(packed)
    ratio = bytes.length / length
    const isFull = bytes.length > most - ROOM || length >= LONGEST_PAGE
    const page = isFull ? cutPage(bytes, most) : undefined
    tryAt = isFull ? estimate(most) : Math.max(length + 1, estimate(most))
    return page
  }

  const estimate = (most: number): number => Math.min(LONGEST_PAGE, (CAUTION * most) / ratio)

  /** The pages of the entries that are left. */
  const end = (most: number): FilledPage[] => {
    const pages: FilledPage[] = []
    while (entries.length > 0) pages.push(cutPage(compressPage(packed), most))
    return pages
  }

  return { add, end }
}
