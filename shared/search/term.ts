// A term's postings as they are kept: few beside its counts, many in blocks of which the term holds the bounds. Pure.
import { byRank, firstWithWeight, type Posting } from './posting.ts'
import { WEIGHTS } from './weights.ts'

/** Postings from `bound` on, up to the next block's bound. */
export type Block = { bound: Posting; posts: number; pages: number }

/** `stamp` is another one after each write: whoever changes a term names the one that was read. */
type Stamped = { term: string; stamp: string }
export type SmallTerm = Stamped & { postings: Posting[] }
export type LargeTerm = Stamped & { blocks: Block[] }
export type Term = SmallTerm | LargeTerm
export function isLarge(term: Term): term is LargeTerm {
  return 'blocks' in term
}

/** A block with what is in it. */
export type FullBlock = { bound: Posting; postings: Posting[] }

export function sizeOf(postings: Posting[]): { posts: number; pages: number } {
  const pages = postings.filter(({ is_page }) => is_page).length
  return { posts: postings.length - pages, pages }
}

export function countOf(term: Term): { posts: number; pages: number } {
  return isLarge(term)
    ? {
        posts: sum(term.blocks.map(({ posts }) => posts)),
        pages: sum(term.blocks.map(({ pages }) => pages)),
      }
    : sizeOf(term.postings)
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

/** The block that a posting is in, or would be. */
export function blockOf({ blocks }: LargeTerm, posting: Posting): number {
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

/** What fits beside the counts: less than 1 kB, which is the least that a write costs. */
export const MOST_INSIDE = 150

/**
 * Writing a posting writes its block and the bounds of all: blocks grow with the root of the postings, so that
 * neither outgrows the other.
 */
export function mostInBlock(postings: number): number {
  return Math.max(150, Math.round(2 * Math.sqrt(postings)))
}

/** Blocks of each weight by themselves, so that what is newest is always put before a block and never into one. */
export function emptyBlocks(): Block[] {
  return WEIGHTS.map(weight => ({ bound: firstWithWeight(weight), posts: 0, pages: 0 }))
}
