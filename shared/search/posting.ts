// A posting: that a term is in a post, in which field, and where the post stands in the order of finds. Packed, a
// handful of bytes each: what one has in common with the one before it is left out.
import { LAST_SECOND } from '../http/time.ts'

/** `weight` is that of the best field that the term is in: 3 title, 2 short description, 1 body. */
export type Posting = { weight: number; posted_at: number; id: number; is_page: boolean }

export const HEAVIEST = 3
export const WEIGHTS = [3, 2, 1] as const
/** Above every id, and small enough to be packed beside its flags. */
export const LAST_ID = 2 ** 44

/** Best field, newest, highest id first. */
export function byRank(a: Posting, b: Posting): number {
  return b.weight - a.weight || b.posted_at - a.posted_at || b.id - a.id
}

/** Before every posting of its weight. */
export function firstOf(weight: number): Posting {
  return {
    weight,
    posted_at: LAST_SECOND,
    id: LAST_ID,
    is_page: false,
  }
}

/** A number of seven bits a byte, low ones first; the eighth says that more follow. */
function write(bytes: number[], value: number): void {
  let left = value
  while (left >= 128) {
    bytes.push((left % 128) + 128)
    left = Math.floor(left / 128)
  }
  bytes.push(left)
}

export function packNumbers(numbers: number[]): Uint8Array {
  const bytes: number[] = []
  for (const number of numbers) write(bytes, number)
  return Uint8Array.from(bytes)
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

/** Room for how much lighter a posting is than the one before it (0 to 3), and whether it is of a page. */
const FLAGS = 8

/** Postings in their order. Seconds run down within a weight; ids go either way, which their lowest bit says. */
export function packPostings(postings: Posting[]): Uint8Array {
  const numbers: number[] = []
  let before = { weight: HEAVIEST, posted_at: LAST_SECOND, id: 0 }
  for (const { weight, posted_at, id, is_page } of postings) {
    const lighter = before.weight - weight
    const step = id - before.id
    const way = step < 0 ? -2 * step - 1 : 2 * step
    numbers.push(way * FLAGS + lighter * 2 + Number(is_page))
    numbers.push((lighter > 0 ? LAST_SECOND : before.posted_at) - posted_at)
    before = { weight, posted_at, id }
  }
  return packNumbers(numbers)
}

export function unpackPostings(bytes: Uint8Array): Posting[] {
  const numbers = unpackNumbers(bytes)
  const postings: Posting[] = []
  let before = { weight: HEAVIEST, posted_at: LAST_SECOND, id: 0 }
  for (let n = 0; n < numbers.length; n += 2) {
    const packed = numbers[n] ?? 0
    const way = Math.floor(packed / FLAGS)
    const lighter = Math.floor((packed % FLAGS) / 2)
    const posting = {
      weight: before.weight - lighter,
      posted_at: (lighter > 0 ? LAST_SECOND : before.posted_at) - (numbers[n + 1] ?? 0),
      id: before.id + (way % 2 === 1 ? -(way + 1) / 2 : way / 2),
      is_page: packed % 2 === 1,
    }
    postings.push(posting)
    before = posting
  }
  return postings
}
