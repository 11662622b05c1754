// Applies changes of postings to a posting list and to its blocks. No I/O.
import { slices } from '../table/concurrency.ts'
import { byRank, type Posting, packPostings } from './posting.ts'
import {
  type Block,
  type BlockContent,
  blockCapacity,
  blockIndexOf,
  countsOf,
  countsOfList,
  emptyBlocks,
  type LargeList,
  MAX_INLINE,
} from './posting-list.ts'

/** `remove`: all postings that the posts may have in the list. Afterwards they have only `add`. */
export type PostingChange = { remove: Posting[]; add: Posting[] }

export function applyChange(postings: Posting[], { remove, add }: PostingChange): Posting[] {
  const ids = new Set([...remove, ...add].map(({ id }) => id))
  return [...postings.filter(({ id }) => !ids.has(id)), ...add].sort(byRank)
}

/** The change of one half of its posts, and of the other. Empty for one post. */
export function halvesOf({ remove, add }: PostingChange): PostingChange[] {
  const ids = [...new Set([...remove, ...add].map(({ id }) => id))]
  if (ids.length < 2) return []
  return slices(ids, Math.ceil(ids.length / 2)).map(half => {
    const inHalf = new Set(half)
    return { remove: remove.filter(({ id }) => inHalf.has(id)), add: add.filter(({ id }) => inHalf.has(id)) }
  })
}

export function hasSamePostings(a: Posting[], b: Posting[]): boolean {
  return a.length === b.length && Buffer.compare(packPostings(a), packPostings(b)) === 0
}

export function fitsInline(postings: Posting[]): boolean {
  return postings.length <= MAX_INLINE
}

/** The positions of the blocks that a change can affect. */
export function blockIndexesOfChange(list: LargeList, { remove, add }: PostingChange): number[] {
  return [...new Set([...remove, ...add].map(posting => blockIndexOf(list, posting)))]
}

/** `blocks`: all blocks of the list after the change. `deleted`: the bounds of blocks to delete. */
export type BlockChanges = { blocks: Block[]; written: BlockContent[]; deleted: Posting[] }

/** The postings of the blocks that a change can affect, by the position of the block. */
export type PostingsByBlock = Map<number, Posting[]>

/** Undefined when the change is already applied. */
export function changeBlocks(
  list: LargeList,
  postingsByBlock: PostingsByBlock,
  { remove, add }: PostingChange,
): BlockChanges | undefined {
  const { posts, pages } = countsOfList(list)
  const capacity = blockCapacity(posts + pages + add.length)
  const changes: BlockChanges = { blocks: [], written: [], deleted: [] }
  for (const [index, block] of list.blocks.entries()) {
    const before = postingsByBlock.get(index)
    if (!before) {
      changes.blocks.push(block)
      continue
    }
    const added = add.filter(posting => blockIndexOf(list, posting) === index)
    const after = applyChange(before, { remove, add: added })
    if (hasSamePostings(before, after)) {
      changes.blocks.push(block)
    } else {
      replaceBlock(changes, block, split(block.bound, after, new Set(added), capacity))
    }
  }
  return changes.written.length + changes.deleted.length > 0 ? changes : undefined
}

function replaceBlock(changes: BlockChanges, { bound }: Block, parts: BlockContent[]): void {
  const filled = parts.filter(({ postings }) => postings.length > 0)
  for (const block of filled) changes.written.push(block)
  if (filled.length === 0) changes.deleted.push(bound)
  // The first block of a weight stays among the bounds even without postings.
  const blocks = filled.length === 0 && isFirst(bound) ? [{ bound, postings: [] }] : filled
  for (const block of blocks) changes.blocks.push({ bound: block.bound, ...countsOf(block.postings) })
}

function isFirst(bound: Posting): boolean {
  return emptyBlocks().some(first => byRank(first.bound, bound) === 0)
}

/** Splits off new postings at either end, so that full blocks stay full; otherwise in the middle. */
function split(bound: Posting, postings: Posting[], added: Set<Posting>, capacity: number): BlockContent[] {
  if (postings.length <= capacity) return [{ bound, postings }]
  const isOld = (posting: Posting) => !added.has(posting)
  const firstOld = postings.findIndex(isOld)
  const afterLastOld = postings.findLastIndex(isOld) + 1
  const betweenNewAndOld = [firstOld, afterLastOld].find(at => at > 0 && at < postings.length)
  const at = betweenNewAndOld ?? Math.ceil(postings.length / 2)
  const [first, second] = [postings.slice(0, at), postings.slice(at)]
  const [next] = second
  if (!next) return [{ bound, postings }]
  return [...split(bound, first, NONE, capacity), ...split(next, second, NONE, capacity)]
}

const NONE: Set<Posting> = new Set()

/** Blocks for a new list, each as full as possible. */
export function splitIntoBlocks(postings: Posting[]): BlockContent[] {
  const capacity = blockCapacity(postings.length)
  return emptyBlocks().flatMap(({ bound }) => {
    const ofWeight = postings.filter(({ weight }) => weight === bound.weight)
    const parts = slices(ofWeight, capacity)
    return parts.length === 0
      ? [{ bound, postings: [] }]
      : parts.map((part, n) => ({ bound: n === 0 ? bound : (part[0] ?? bound), postings: part }))
  })
}

export function isEmptyList({ blocks }: LargeList): boolean {
  return blocks.every(({ posts, pages }) => posts + pages === 0)
}
