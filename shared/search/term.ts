// A term's postings as they are kept: few beside its counts, many in blocks of which the term holds the bounds. Pure.
import * as z from 'zod/mini'
import { LAST_SECOND } from '../http/time.ts'
import { cut } from '../lists/text-order.ts'
import { postingsKey, termKey } from '../table/design.ts'
import type { Item, Key } from '../table/key.ts'
import {
  byRank,
  firstOf,
  HEAVIEST,
  LAST_ID,
  type Posting,
  packNumbers,
  packPostings,
  unpackNumbers,
  unpackPostings,
  WEIGHTS,
} from './posting.ts'

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

const Bytes = z.instanceof(Uint8Array)
/** Built when the first term is read. */
export const readTerm = z.lazy(() =>
  z.pipe(
    z.object({
      sk: z.string(),
      stamp: z.string(),
      postings: z.optional(Bytes),
      bounds: z.optional(Bytes),
      sizes: z.optional(Bytes),
    }),
    z.transform(({ sk: term, stamp, postings, bounds, sizes }): Term => {
      if (!bounds || !sizes) return { term, stamp, postings: postings ? unpackPostings(postings) : [] }
      const numbers = unpackNumbers(sizes)
      const blocks = unpackPostings(bounds).map((bound, n) => ({
        bound,
        posts: numbers[2 * n] ?? 0,
        pages: numbers[2 * n + 1] ?? 0,
      }))
      return { term, stamp, blocks }
    }),
  ),
)

/** Where a term stands: words with those that begin alike, so that one query finds them. */
const START = 3
export function keyOfTerm(term: string): Key {
  return termKey(term.startsWith('/') ? term : cut(term.replace('*', ''), START), term)
}

export function termItem(term: Term): Item {
  return {
    ...keyOfTerm(term.term),
    stamp: term.stamp,
    ...(isLarge(term)
      ? {
          bounds: packPostings(term.blocks.map(({ bound }) => bound)),
          sizes: packNumbers(term.blocks.flatMap(({ posts, pages }) => [posts, pages])),
        }
      : { postings: packPostings(term.postings) }),
  }
}

/** Blocks sort by rank in their partition, so that neighbours are one query. */
export function blockKey(term: string, { weight, posted_at, id }: Posting): Key {
  return postingsKey(term, { field: WEIGHTS[0] - weight, seconds: LAST_SECOND - posted_at, id: LAST_ID - id })
}

/** Of the block at this place among the term's. */
export function keyOfBlock({ term, blocks }: LargeTerm, place: number): Key {
  return blockKey(term, blocks[place]?.bound ?? firstOf(HEAVIEST))
}

export const readBlock = z.lazy(() =>
  z.pipe(
    z.object({ sk: z.string(), postings: Bytes }),
    z.transform(({ sk, postings }) => ({ sk, postings: unpackPostings(postings) })),
  ),
)

/** A block with what is in it. */
export type FullBlock = { bound: Posting; postings: Posting[] }

export function blockItem(term: string, { bound, postings }: FullBlock): Item {
  return {
    ...blockKey(term, bound),
    postings: packPostings(postings),
  }
}

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
  return WEIGHTS.map(weight => ({ bound: firstOf(weight), posts: 0, pages: 0 }))
}
