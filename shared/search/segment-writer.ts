// Turns entries in the order of their terms into the items of a segment: pages, blocks, and at last an index.
// Items are numbered in the order in which they are written. No I/O.

import { type Entry, openPrefixes } from './entry.ts'
import { compressPage, type PageIndex, packBlock, packEntry, packIndex, packList } from './page.ts'
import type { Posting } from './posting.ts'
import { blocksOf, countsOf, MAX_INLINE, type PostingList } from './posting-list.ts'

/** `n`: its number. */
export type SegmentItem = { n: number; bytes: Uint8Array }

/** One read unit reads 4 kB; the key and the names of attributes take the rest. */
const PAGE_BYTES = 3_900
/** Pages of a long index are larger, so that the index fits into one item. */
const MAX_PAGES = 12_000
/** What compression leaves of a page is known after the first one. */
const FIRST_RATIO = 0.5
const LONGEST_PAGE = 60_000

/** Where an interrupted writer continues: after these items, of which `parts` contain its index so far. */
export type WriterState = { items: number; parts: number[] }

export type SegmentWriter = ReturnType<typeof openSegmentWriter>

export function openSegmentWriter(
  { hasPrefixes }: { hasPrefixes: boolean },
  start: WriterState & { index: PageIndex } = { items: 0, parts: [], index: { terms: [], pages: [] } },
) {
  let items = start.items
  const parts = [...start.parts]
  const index: PageIndex = { terms: [...start.index.terms], pages: [...start.index.pages] }
  let inParts = index.pages.length
  const prefixes = openPrefixes()
  let written: SegmentItem[] = []
  let page: Uint8Array[] = []
  let [firstTerm, lastTerm, length, ratio] = ['', '', 0, FIRST_RATIO]

  const write = (bytes: Uint8Array): number => {
    written.push({ n: items, bytes })
    return items++
  }

  const endPage = (): void => {
    if (page.length === 0) return
    const bytes = compressPage(page)
    ratio = bytes.length / length
    index.terms.push(firstTerm)
    index.pages.push(write(bytes))
    page = []
    length = 0
    lastTerm = ''
  }

  const listOf = (postings: Posting[]): PostingList => {
    if (postings.length <= MAX_INLINE) return { postings }
    const first = items
    const blocks = blocksOf(postings).flatMap(block => {
      write(packBlock(block))
      const [bound] = block
      return bound ? [{ bound, ...countsOf(block) }] : []
    })
    return { segment: '', first, blocks }
  }

  const put = ({ term, plus, minus }: Entry): void => {
    if (plus.length + minus.length === 0) return
    const packed = { term, plus: packList(listOf(plus)), minus: packList(listOf(minus)) }
    const isFull = length > 0 && length + packed.plus.length > pageLength()
    if (isFull) endPage()
    if (page.length === 0) firstTerm = term
    const bytes = packEntry(packed, lastTerm)
    page.push(bytes)
    length += bytes.length
    lastTerm = term
  }

  const pageLength = (): number => {
    const times = 2 ** Math.floor(index.pages.length / MAX_PAGES)
    return Math.min(LONGEST_PAGE, PAGE_BYTES / ratio) * times
  }

  const endPrefixes = (term: string | undefined): void => {
    if (hasPrefixes) for (const entry of prefixes.endBefore(term)) put(entry)
  }

  const add = (entry: Entry): void => {
    endPrefixes(entry.term)
    put(entry)
    if (hasPrefixes) prefixes.add(entry)
  }

  const ready = (): number => written.length

  /** The number of all items so far. */
  const count = (): number => items

  /** The items since the last call. */
  const take = (): SegmentItem[] => {
    const taken = written
    written = []
    return taken
  }

  /** Call before the entry of `term`: whether the writer can be interrupted here. Ends the page if so. */
  const pauseBefore = (term: string): WriterState | undefined => {
    endPrefixes(term)
    if (!prefixes.isBetween()) return undefined
    endPage()
    const part = { terms: index.terms.slice(inParts), pages: index.pages.slice(inParts) }
    if (part.pages.length > 0) parts.push(write(packIndex(part)))
    inParts = index.pages.length
    return { items, parts: [...parts] }
  }

  /** A segment of one page needs no index: its last item is the page. */
  const finish = (): { items: number; hasIndex: boolean } => {
    endPrefixes(undefined)
    endPage()
    const hasIndex = index.pages.length !== 1 || index.pages[0] !== items - 1
    if (hasIndex) write(packIndex(index))
    return { items, hasIndex }
  }

  const pages = (): number[] => index.pages

  return { add, ready, count, take, pages, endPage, pauseBefore, finish }
}
