// A posting: a post that contains a term, with the weight of its field and its date. Packed into a few bytes,
// as differences from the previous posting. A posting list contains all postings of a term in a segment.
import { LAST_SECOND } from '../http/time.ts'
import { slices } from '../table/concurrency.ts'

/** Heaviest first: a word in several fields counts only in the first of them. */
export const FIELDS = [
  ['title', 3],
  ['short', 2],
  ['body', 1],
] as const

export type Field = (typeof FIELDS)[number][0]

const HEAVIEST = 3
export const LIGHTEST = 1

/** `weight`: of the heaviest field that contains the term. */
export type Posting = { weight: number; posted_at: number; id: number; is_page: boolean }

/** By weight, then date, then id, each from the highest. */
export function byRank(a: Posting, b: Posting): number {
  return b.weight - a.weight || b.posted_at - a.posted_at || b.id - a.id
}

const INTEGERS = 2 ** 31
/** The most bytes of a packed number, which is below 2^53. */
const MOST_BYTES = 8

/**
 * Seven bits a byte, the lowest first. The eighth bit is set if more bytes follow. Returns the position after
 * the number.
 */
function writeNumber(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= INTEGERS) {
    bytes[at++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  while (rest >= 128) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

export function packNumbers(numbers: number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * MOST_BYTES)
  let at = 0
  for (const number of numbers) at = writeNumber(bytes, at, number)
  return bytes.slice(0, at)
}

export function unpackNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte % 128) * scale
    scale *= 128
    if (byte >= 128) continue
    numbers.push(value)
    value = 0
    scale = 1
  }
  return numbers
}

/** One bit says whether it is a page, two say how much lighter it is than the posting before. */
const FLAGS = 8

const START = { weight: HEAVIEST, posted_at: LAST_SECOND, id: 0 }

/**
 * Expects rank order, in which dates fall within a weight. Steps of ids have a sign, which is one bit. `head`
 * are the bytes before the postings.
 */
export function packPostings(postings: Posting[], head: number[] = []): Uint8Array {
  const bytes = new Uint8Array(head.length + postings.length * 2 * MOST_BYTES)
  bytes.set(head)
  let at = head.length
  let before = START
  for (const { weight, posted_at, id, is_page } of postings) {
    const lower = before.weight - weight
    const step = id - before.id
    const signed = step < 0 ? -2 * step - 1 : 2 * step
    at = writeNumber(bytes, at, signed * FLAGS + lower * 2 + Number(is_page))
    at = writeNumber(bytes, at, (lower > 0 ? LAST_SECOND : before.posted_at) - posted_at)
    before = { weight, posted_at, id }
  }
  return bytes.slice(0, at)
}

/** The postings whose packed numbers begin at `from`. */
export function postingsOfNumbers(numbers: number[], from = 0): Posting[] {
  const postings: Posting[] = []
  let before = START
  for (let n = from; n < numbers.length; n += 2) {
    const packed = numbers[n] ?? 0
    const signed = Math.floor(packed / FLAGS)
    const lower = Math.floor((packed % FLAGS) / 2)
    const weight = before.weight - lower
    const posted_at = (lower > 0 ? LAST_SECOND : before.posted_at) - (numbers[n + 1] ?? 0)
    const id = before.id + (signed % 2 === 1 ? -(signed + 1) / 2 : signed / 2)
    postings.push({ weight, posted_at, id, is_page: packed % 2 === 1 })
    before = { weight, posted_at, id }
  }
  return postings
}

/** Contains the postings from `bound` up to the bound of the next block; `posts` and `pages` count them. */
export type Block = { bound: Posting; posts: number; pages: number }

type SmallList = { postings: Posting[] }
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

export function countOfList(list: PostingList): number {
  if (!isLarge(list)) return list.postings.length
  return list.blocks.reduce((sum, { posts, pages }) => sum + posts + pages, 0)
}

/** A longer list leaves no room for others in the page of its term. */
export const MAX_INLINE = 256
/** About 4 kB, which one read unit reads. */
const BLOCK_CAPACITY = 1_000

export function blocksOf(postings: Posting[]): Posting[][] {
  return slices(postings, BLOCK_CAPACITY)
}
