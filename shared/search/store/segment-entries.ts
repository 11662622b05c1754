// Reads a whole segment, term by term, for merges and checks.
import type { Table } from '../../table/client.ts'
import { slices } from '../../table/concurrency.ts'
import { ALL_TERM } from '../document.ts'
import { byTerm, type Entry, isPrefixTerm } from '../entry.ts'
import type { Segment } from '../manifest.ts'
import { decompressPage, listsOf, packedEntriesIn, pagesOfRange, unpackBlock } from '../page.ts'
import type { Posting } from '../posting.ts'
import { isLarge, type PostingList } from '../posting-list.ts'
import { type PostsOfSegment, postsOf } from '../segment-merge.ts'
import { readIndexes, readItems } from './segment-items.ts'

/** Small enough that a few dozen segments fit into memory together. */
const PAGES_AT_ONCE = 25

/** Reads items of one segment by their numbers. */
export type ReadNumbers = (numbers: number[]) => Promise<Uint8Array[]>

/** From the term `from` on. The terms of prefixes are left out: the words tell them. */
export async function* entriesOfSegment(
  table: Table,
  segment: Segment,
  from = ALL_TERM,
): AsyncGenerator<Entry, void, void> {
  const [index] = await readIndexes(table, [segment])
  const read: ReadNumbers = numbers =>
    readItems(
      table,
      numbers.map(n => ({ segment: segment.name, n })),
    )
  if (index) yield* entriesOfPages(pagesOfRange(index, from, LAST), read, from)
}

const LAST = '\uffff\uffff'

export async function* entriesOfPages(
  pages: number[],
  read: ReadNumbers,
  from = ALL_TERM,
): AsyncGenerator<Entry, void, void> {
  for (const some of slices(pages, PAGES_AT_ONCE)) {
    for (const page of await read(some)) {
      for (const entry of packedEntriesIn(decompressPage(page))) {
        if (byTerm(entry.term, from) < 0 || isPrefixTerm(entry.term)) continue
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

/** The posts of a segment are in the postings of its first term. */
export async function readPostsOfSegment(table: Table, segment: Segment): Promise<PostsOfSegment> {
  const { value } = await entriesOfSegment(table, segment).next()
  return postsOf(value?.term === ALL_TERM ? value : undefined)
}
