// Turns entries in the order of their terms into the items of a segment: pages, blocks, and at last an index.
// Items are numbered in the order in which they are written. No I/O.

import { type Entry, openPrefixes } from './entry.ts'
import { type PageIndex, packBlock, packIndex, packList } from './page.ts'
import { type FilledPage, openPageFiller, PAGE_BYTES } from './page-filler.ts'
import type { Posting } from './posting.ts'
import { blocksOf, countsOf, MAX_INLINE, type PostingList } from './posting-list.ts'

/** `n`: its number. */
export type SegmentItem = { n: number; bytes: Uint8Array }

/** Pages of a long index are larger, so that the index fits into one item. */
const MAX_PAGES = 12_000

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
  const filler = openPageFiller()

  const write = (bytes: Uint8Array): number => {
    written.push({ n: items, bytes })
    return items++
  }

  const writePage = ({ term, bytes }: FilledPage): void => {
    index.terms.push(term)
    index.pages.push(write(bytes))
  }

  const endPage = (): void => {
    for (const page of filler.end(pageBytes())) writePage(page)
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
    const full = filler.add(packed, pageBytes())
    if (full) writePage(full)
  }

  const pageBytes = (): number => PAGE_BYTES * 2 ** Math.floor(index.pages.length / MAX_PAGES)

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

  return { add, ready, count, take, pauseBefore, finish }
}
