// The items of a posting list in the table: one of its own, and one for each block. No I/O.
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
import { type BlockContent, isLarge, type LargeList, type PostingList } from './posting-list.ts'
import { HEAVIEST, levelOf } from './weights.ts'

const Bytes = z.instanceof(Uint8Array)

/** Lazy: most requests read no posting list. */
export const PostingListItem = z.lazy(() =>
  z.pipe(
    z.object({
      sk: z.string(),
      stamp: z.string(),
      postings: z.optional(Bytes),
      bounds: z.optional(Bytes),
      sizes: z.optional(Bytes),
    }),
    z.transform(({ sk: term, stamp, postings, bounds, sizes }): PostingList => {
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

/** The lists of words with the same first characters share a partition, so that one query reads them. */
const PREFIX_LENGTH = 3

export function keyOfList(term: string): Key {
  return termKey(term.startsWith('/') ? term : cut(term.replace('*', ''), PREFIX_LENGTH), term)
}

export function itemOfList(list: PostingList): Item {
  return {
    ...keyOfList(list.term),
    stamp: list.stamp,
    ...(isLarge(list)
      ? {
          bounds: packPostings(list.blocks.map(({ bound }) => bound)),
          sizes: packNumbers(list.blocks.flatMap(({ posts, pages }) => [posts, pages])),
        }
      : { postings: packPostings(list.postings) }),
  }
}

/** The blocks of a list share a partition and sort by rank. */
export function blockKey(term: string, { weight, posted_at, id }: Posting): Key {
  return postingsKey(term, { level: levelOf(weight), seconds: LAST_SECOND - posted_at, id: LAST_ID - id })
}

/** The key of the block at this position in the list. */
export function keyOfBlock({ term, blocks }: LargeList, index: number): Key {
  return blockKey(term, blocks[index]?.bound ?? firstWithWeight(HEAVIEST))
}

export const BlockItem = z.lazy(() =>
  z.pipe(
    z.object({ sk: z.string(), postings: Bytes }),
    z.transform(({ sk, postings }) => ({ sk, postings: unpackPostings(postings) })),
  ),
)

export function itemOfBlock(term: string, { bound, postings }: BlockContent): Item {
  return {
    ...blockKey(term, bound),
    postings: packPostings(postings),
  }
}
