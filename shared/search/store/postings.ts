// Reads the postings of lists whose blocks are items of their own.
import type { Table } from '../../table/client.ts'
import type { Posting } from '../posting.ts'
import { blockIndexOf, isLarge, type PostingList } from '../posting-list.ts'
import { WEIGHTS } from '../weights.ts'
import { readBlocks } from './segment-items.ts'

/** `before`: only postings of these posts are needed, and others may be missing. */
export async function postingsOf(
  table: Table,
  list: PostingList,
  before: Iterable<Posting> | undefined,
): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings
  const indexes = new Set<number>()
  for (const post of before ?? []) {
    for (const weight of WEIGHTS) indexes.add(blockIndexOf(list, { ...post, weight }))
  }
  const blocks = before ? [...indexes] : list.blocks.map((_, index) => index)
  const refs = blocks.map(index => ({ segment: list.segment, n: list.first + index }))
  return (await readBlocks(table, refs)).flat()
}
