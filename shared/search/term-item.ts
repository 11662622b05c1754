// The items of a term: its postings, or the bounds of its blocks and the blocks. No I/O.
import * as z from 'zod/mini'
import { LAST_SECOND } from '../http/time.ts'
import { cut } from '../lists/text-order.ts'
import { postingsKey, termKey } from '../table/design.ts'
import type { Item, Key } from '../table/key.ts'
import {
  firstWithWeight,
  LAST_ID,
  type Posting,
  packNumbers,
  packPostings,
  unpackNumbers,
  unpackPostings,
} from './posting.ts'
import { type FullBlock, isLarge, type LargeTerm, type Term } from './term.ts'
import { HEAVIEST, levelOf } from './weights.ts'

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
const PREFIX_LENGTH = 3

export function keyOfTerm(term: string): Key {
  return termKey(term.startsWith('/') ? term : cut(term.replace('*', ''), PREFIX_LENGTH), term)
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
  return postingsKey(term, { field: levelOf(weight), seconds: LAST_SECOND - posted_at, id: LAST_ID - id })
}

/** Of the block at this place among the term's. */
export function keyOfBlock({ term, blocks }: LargeTerm, place: number): Key {
  return blockKey(term, blocks[place]?.bound ?? firstWithWeight(HEAVIEST))
}

export const readBlock = z.lazy(() =>
  z.pipe(
    z.object({ sk: z.string(), postings: Bytes }),
    z.transform(({ sk, postings }) => ({ sk, postings: unpackPostings(postings) })),
  ),
)

export function blockItem(term: string, { bound, postings }: FullBlock): Item {
  return {
    ...blockKey(term, bound),
    postings: packPostings(postings),
  }
}
