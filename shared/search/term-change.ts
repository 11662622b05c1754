// What a change of postings makes of a term and of the blocks that it touches. No I/O.
import { slices } from '../table/concurrency.ts'
import { byRank, type Posting, packPostings } from './posting.ts'
import {
  type Block,
  blockOf,
  countOf,
  emptyBlocks,
  type FullBlock,
  type LargeTerm,
  MOST_INSIDE,
  mostInBlock,
  sizeOf,
} from './term.ts'

/** `remove` says where postings of some posts may stand; none of those posts is there afterwards but by `add`. */
export type PostingChange = { remove: Posting[]; add: Posting[] }

export function changedPostings(postings: Posting[], { remove, add }: PostingChange): Posting[] {
  const ids = new Set([...remove, ...add].map(({ id }) => id))
  return [...postings.filter(({ id }) => !ids.has(id)), ...add].sort(byRank)
}

/** The change for half of its posts, and for the others; none for one post, whose postings move at once. */
export function halvesOf({ remove, add }: PostingChange): PostingChange[] {
  const ids = [...new Set([...remove, ...add].map(({ id }) => id))]
  if (ids.length < 2) return []
  return slices(ids, Math.ceil(ids.length / 2)).map(half => {
    const some = new Set(half)
    return { remove: remove.filter(({ id }) => some.has(id)), add: add.filter(({ id }) => some.has(id)) }
  })
}

export function isSame(a: Posting[], b: Posting[]): boolean {
  return a.length === b.length && Buffer.compare(packPostings(a), packPostings(b)) === 0
}

export function fitsInside(postings: Posting[]): boolean {
  return postings.length <= MOST_INSIDE
}

/** The places in `blocks` that a change looks at. */
export function blocksOfChange(term: LargeTerm, { remove, add }: PostingChange): number[] {
  return [...new Set([...remove, ...add].map(posting => blockOf(term, posting)))]
}

export type LargeChange = { blocks: Block[]; written: FullBlock[]; dropped: Posting[] }

/** The postings of blocks that a change looks at, by place. */
export type PostingsByBlock = Map<number, Posting[]>

/** Undefined when nothing is to be done. */
export function changedBlocks(
  term: LargeTerm,
  read: PostingsByBlock,
  { remove, add }: PostingChange,
): LargeChange | undefined {
  const { posts, pages } = countOf(term)
  const most = mostInBlock(posts + pages + add.length)
  const change: LargeChange = { blocks: [], written: [], dropped: [] }
  for (const [place, block] of term.blocks.entries()) {
    const before = read.get(place)
    if (!before) {
      change.blocks.push(block)
      continue
    }
    const added = add.filter(posting => blockOf(term, posting) === place)
    const after = changedPostings(before, { remove, add: added })
    if (isSame(before, after)) {
      change.blocks.push(block)
    } else {
      replace(change, block, splitAt(block.bound, after, new Set(added), most))
    }
  }
  return change.written.length + change.dropped.length > 0 ? change : undefined
}

function replace(change: LargeChange, { bound }: Block, parts: FullBlock[]): void {
  const full = parts.filter(({ postings }) => postings.length > 0)
  for (const block of full) change.written.push(block)
  if (full.length === 0) change.dropped.push(bound)
  // The first block of a weight stays in the bounds though it is empty.
  const kept = full.length === 0 && isFirst(bound) ? [{ bound, postings: [] }] : full
  for (const { bound: at, postings } of kept) change.blocks.push({ bound: at, ...sizeOf(postings) })
}

function isFirst(bound: Posting): boolean {
  return emptyBlocks().some(first => byRank(first.bound, bound) === 0)
}

/** Too many are parted in the middle; before or behind what is new, where that came to an end: full blocks stay full. */
function splitAt(bound: Posting, postings: Posting[], added: Set<Posting>, most: number): FullBlock[] {
  if (postings.length <= most) return [{ bound, postings }]
  const isOld = (posting: Posting) => !added.has(posting)
  const atFront = postings.findIndex(isOld)
  const atEnd = postings.findLastIndex(isOld) + 1
  const ends = [atFront, atEnd].find(at => at > 0 && at < postings.length)
  const at = ends ?? Math.ceil(postings.length / 2)
  const [first, second] = [postings.slice(0, at), postings.slice(at)]
  const [next] = second
  if (!next) return [{ bound, postings }]
  return [...splitAt(bound, first, NONE, most), ...splitAt(next, second, NONE, most)]
}

const NONE: Set<Posting> = new Set()

/** Many postings as blocks, as full as they may be. */
export function blocksOf(postings: Posting[]): FullBlock[] {
  const most = mostInBlock(postings.length)
  return emptyBlocks().flatMap(({ bound }) => {
    const ofWeight = postings.filter(({ weight }) => weight === bound.weight)
    const rest = Array.from({ length: Math.ceil(ofWeight.length / most) }, (_, n) =>
      ofWeight.slice(n * most, (n + 1) * most),
    )
    return rest.length === 0
      ? [{ bound, postings: [] }]
      : rest.map((part, n) => ({ bound: n === 0 ? bound : (part[0] ?? bound), postings: part }))
  })
}

export function isEmpty({ blocks }: LargeTerm): boolean {
  return blocks.every(({ posts, pages }) => posts + pages === 0)
}
