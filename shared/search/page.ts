// A page of a segment: entries in the order of their terms, each without the start that it shares with the
// one before, compressed. An index has the same form: the first term of each page, and the page's number.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { firstIndex } from '../table/concurrency.ts'
import { byTerm, type Lists } from './entry.ts'
import {
  isLarge,
  type Posting,
  type PostingList,
  packNumbers,
  packPostings,
  postingsOfNumbers,
  unpackNumbers,
} from './posting.ts'

/** An entry with its posting lists packed. */
export type PackedEntry = { term: string; plus: Uint8Array; minus: Uint8Array }

const NO_BYTES = new Uint8Array()
const SMALL = 0
const LARGE = 1

export function packList(list: PostingList): Uint8Array {
  if (!isLarge(list)) return list.postings.length === 0 ? NO_BYTES : packPostings(list.postings, [SMALL])
  const sizes = list.blocks.flatMap(({ posts, pages }) => [posts, pages])
  const bounds = packPostings(list.blocks.map(({ bound }) => bound))
  return Buffer.concat([
    Uint8Array.of(LARGE),
    packNumbers([list.first, list.blocks.length, ...sizes]),
    bounds,
  ])
}

function unpackList(segment: string, bytes: Uint8Array): PostingList {
  if (bytes.length === 0) return { postings: [] }
  const numbers = unpackNumbers(bytes.subarray(1))
  if (bytes[0] === SMALL) return { postings: postingsOfNumbers(numbers) }
  const [first = 0, count = 0] = numbers
  const blocks = postingsOfNumbers(numbers, 2 + 2 * count).map((bound, n) => ({
    bound,
    posts: numbers[2 + 2 * n] ?? 0,
    pages: numbers[3 + 2 * n] ?? 0,
  }))
  return { segment, first, blocks }
}

/** The bytes of a page before they are compressed. */
export function packEntry({ term, plus, minus }: PackedEntry, termBefore: string): Uint8Array {
  const bytes = Buffer.from(term)
  const before = Buffer.from(termBefore)
  let shared = 0
  while (shared < bytes.length && bytes[shared] === before[shared]) shared++
  const rest = bytes.subarray(shared)
  const sizes = packNumbers([shared, rest.length, plus.length, minus.length])
  return Buffer.concat([sizes, rest, plus, minus])
}

export function compressPage(bytes: Uint8Array[]): Uint8Array {
  return deflateRawSync(Buffer.concat(bytes))
}

export function decompressPage(bytes: Uint8Array): Uint8Array {
  return inflateRawSync(bytes)
}

/** The entries of a decompressed page whose terms are not before `from`. */
export function* packedEntriesIn(page: Uint8Array, from = ''): Generator<PackedEntry> {
  let at = 0
  const next = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = page[at++] ?? 0
      value += (byte % 128) * scale
      if (byte < 128) return value
    }
  }
  const take = (length: number): Uint8Array => {
    at += length
    return page.subarray(at - length, at)
  }
  // All terms are written into the same bytes, since most pages are read for the sake of one entry.
  const bytes = Buffer.alloc(page.length)
  while (at < page.length) {
    const shared = next()
    const rest = next()
    const plusLength = next()
    const minusLength = next()
    for (const end = at + rest, n = shared - at; at < end; at++) bytes[n + at] = page[at] ?? 0
    const term = bytes.toString('utf8', 0, shared + rest)
    if (byTerm(term, from) < 0) {
      at += plusLength + minusLength
    } else {
      yield { term, plus: take(plusLength), minus: take(minusLength) }
    }
  }
}

export function listsOf(segment: string, { plus, minus }: PackedEntry): Lists {
  return { plus: unpackList(segment, plus), minus: unpackList(segment, minus) }
}

export function packBlock(postings: Posting[]): Uint8Array {
  return deflateRawSync(packPostings(postings))
}

export function unpackBlock(bytes: Uint8Array): Posting[] {
  return postingsOfNumbers(unpackNumbers(inflateRawSync(bytes)))
}

/** The first term of each page, in order, with the number of the page among the items of the segment. */
export type PageIndex = { terms: string[]; pages: number[] }

export function packIndex({ terms, pages }: PageIndex): Uint8Array {
  return compressPage(
    terms.map((term, n) =>
      packEntry({ term, plus: packNumbers([pages[n] ?? 0]), minus: NO_BYTES }, terms[n - 1] ?? ''),
    ),
  )
}

export function unpackIndex(bytes: Uint8Array): PageIndex {
  const entries = [...packedEntriesIn(decompressPage(bytes))]
  return {
    terms: entries.map(({ term }) => term),
    pages: entries.map(({ plus }) => unpackNumbers(plus)[0] ?? 0),
  }
}

/** The numbers of the pages that can contain terms from `from` up to `to`, which is not among them. */
export function pagesOfRange({ terms, pages }: PageIndex, from: string, to: string): number[] {
  const start = Math.max(0, firstIndex(terms, term => term > from) - 1)
  const end = firstIndex(terms, term => term >= to)
  return pages.slice(start, Math.max(start + 1, end))
}
