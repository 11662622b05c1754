// A posting list of a term in a segment: a small one contains its postings, a large one bounds of blocks.
import { slices } from '../table/concurrency.ts'
import { byRank, type Posting } from './posting.ts'

/** Contains the postings from `bound` up to the bound of the next block; `posts` and `pages` count them. */
export type Block = { bound: Posting; posts: number; pages: number }

export type SmallList = { postings: Posting[] }
/** Its blocks are the items of the segment from number `first` on. */
export type LargeList = { segment: string; first: number; blocks: Block[] }
export type PostingList = SmallList | LargeList

export function isLarge(list: PostingList): list is LargeList {
  return 'blocks' in list
}

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

/** The position of the block that contains the posting, if one does. */
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

/** A longer list leaves no room for others in the page of its term. */
export const MAX_INLINE = 256
/** About 4 kB, which one read unit reads. */
const BLOCK_CAPACITY = 1_000

export function blocksOf(postings: Posting[]): Posting[][] {
  return slices(postings, BLOCK_CAPACITY)
}
