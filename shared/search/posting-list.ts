// The posting list of a term: a small one contains its postings, a large one the bounds of its blocks.
import { byRank, firstWithWeight, type Posting } from './posting.ts'
import { WEIGHTS } from './weights.ts'

/** Contains the postings from `bound` up to the bound of the next block; `posts` and `pages` count them. */
export type Block = { bound: Posting; posts: number; pages: number }

/** Each write sets another `stamp` and is conditional on the one that was read. */
type WithStamp = { term: string; stamp: string }
export type SmallList = WithStamp & { postings: Posting[] }
export type LargeList = WithStamp & { blocks: Block[] }
export type PostingList = SmallList | LargeList

export function isLarge(list: PostingList): list is LargeList {
  return 'blocks' in list
}

/** A block with its postings in place of their counts. */
export type BlockContent = { bound: Posting; postings: Posting[] }

export function countsOf(postings: Posting[]): { posts: number; pages: number } {
  const pages = postings.filter(({ is_page }) => is_page).length
  return { posts: postings.length - pages, pages }
}

export function countsOfList(list: PostingList): { posts: number; pages: number } {
  return isLarge(list)
    ? {
        posts: sum(list.blocks.map(({ posts }) => posts)),
        pages: sum(list.blocks.map(({ pages }) => pages)),
      }
    : countsOf(list.postings)
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}

/** The position of the block that contains the posting, or would contain it. */
export function blockIndexOf({ blocks }: LargeList, posting: Posting): number {
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const block = blocks[middle]
    if (block && byRank(block.bound, posting) <= 0) {
      low = middle
    } else {
      high = middle - 1
    }
  }
  return low
}

/** Keeps the item of a small list below 1 kB, the smallest size that a write is charged for. */
export const MAX_INLINE = 150

/**
 * A write of a posting writes its block and the bounds of all blocks. Blocks grow with the square root of the
 * list, so that both stay small.
 */
export function blockCapacity(postings: number): number {
  return Math.max(150, Math.round(2 * Math.sqrt(postings)))
}

/** Each weight has blocks of its own, so that a new post comes before a full block and not into it. */
export function emptyBlocks(): Block[] {
  return WEIGHTS.map(weight => ({ bound: firstWithWeight(weight), posts: 0, pages: 0 }))
}
