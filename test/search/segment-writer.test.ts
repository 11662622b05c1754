// One segment: long lists in blocks, terms of prefixes, the pages of a range.
import { describe, expect, it } from 'vitest'
import { entriesOf, prefixTerm } from '../../shared/search/entry.ts'
import {
  decompressPage,
  listsOf,
  packedEntriesIn,
  pagesOfRange,
  unpackBlock,
} from '../../shared/search/page.ts'
import { byRank, isLarge, MAX_INLINE, type Posting, type PostingList } from '../../shared/search/posting.ts'
import { segmentItemKey } from '../../shared/table/design.ts'
import { added, all, docOf, idsUpTo, POSTS, read, write } from './segments-in-memory.ts'

const POSTING: Posting = { weight: 1, posted_at: 1, id: 1, is_page: false }

/** The bytes of an item besides its own. */
function segmentItemBytes(name: string, n: number): number {
  const { pk, sk } = segmentItemKey(name, n)
  return Buffer.byteLength(`pk${pk}sk${sk}bytes`)
}

/** Of lengths that change throughout the alphabet, so that pages compress differently. */
function randomWords(seed: number): string[] {
  const words = Array.from({ length: 400 }, (_, n) => {
    const number = Math.imul(seed * 1_000 + n, 2_654_435_761) >>> 0
    return number.toString(36).repeat(1 + (number % 5))
  })
  return [...new Set(words)].sort()
}

describe('a segment', () => {
  it('has the entries that were written, with long lists in blocks', async () => {
    const entries = entriesOf(added(idsUpTo(POSTS)))
    expect(await all(read(write(entries, false)))).toEqual(entries)
  })

  it('has a term for each beginning of two and three characters, with the heaviest weight of each post', () => {
    const { items, pages } = write(entriesOf(added(idsUpTo(300))), true)
    const lists = new Map<string, PostingList>()
    for (const page of pages) {
      for (const entry of packedEntriesIn(decompressPage(items[page]?.bytes ?? new Uint8Array()))) {
        lists.set(entry.term, listsOf('', entry).plus)
      }
    }
    const postingsOf = (list: PostingList | undefined): Posting[] => {
      if (!list || !isLarge(list)) return list?.postings ?? []
      return list.blocks.flatMap((_, n) => unpackBlock(items[list.first + n]?.bytes ?? new Uint8Array()))
    }
    for (const prefix of ['ev', 'eve', 'ab', 'abc', 'th', 'ra', 'rar', 'ét', 'été', '東京', '😀x']) {
      const expected = idsUpTo(300)
        .map(id => docOf(id, 1))
        .filter(({ title, body }) => [...title, ...body].some(word => word.startsWith(prefix)))
        .map(({ id }) => id)
      const found = postingsOf(lists.get(prefixTerm(prefix)))
      expect([prefix, found.map(({ id }) => id).sort((a, b) => a - b)]).toEqual([prefix, expected])
      expect(found).toEqual(found.toSorted(byRank))
    }
    expect(lists.has(prefixTerm('eveni'))).toBe(false)
  })

  it('fills its pages up to one read unit, whatever the order of the words', async () => {
    const overhead = segmentItemBytes('a'.repeat(12), 99_999)
    for (const seed of [1, 7_919, 104_729]) {
      const posts = Array.from({ length: 40 }, (_, n) => ({
        ...docOf(n + 1, 1),
        body: randomWords(seed + n),
      }))
      const entries = entriesOf(posts.map(after => ({ before: undefined, after })))
      const written = write(entries, false)
      const sizes = written.pages.map(page => overhead + (written.items[page]?.bytes.length ?? 0))
      expect(sizes.length).toBeGreaterThan(20)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096)
      const full = sizes.slice(0, -1)
      expect(full.reduce((sum, size) => sum + size, 0) / full.length).toBeGreaterThan(0.97 * 4_096)
      expect(await all(read(written))).toEqual(entries)
    }
  })

  it('has a page of its own for an entry that is larger than a page', async () => {
    const [first, last] = [
      { term: 'a', plus: [], minus: [] },
      { term: 'z', plus: [], minus: [] },
    ]
    const long = idsUpTo(MAX_INLINE).map(n => ({
      ...POSTING,
      id: n * 7_919 ** 2,
      posted_at: 2 ** 31 - n * 1e6,
    }))
    const entries = [
      first,
      { term: 'm', plus: long, minus: long.map(one => ({ ...one, id: one.id + 1 })) },
      last,
    ]
    const filled = entries.map(entry => ({ ...entry, plus: [POSTING, ...entry.plus].sort(byRank) }))
    expect(await all(read(write(filled, false)))).toEqual(filled)
  })

  it('finds the pages of a range of terms by its index', () => {
    const index = { terms: ['b', 'd', 'e', 'g'], pages: [0, 1, 2, 5] }
    expect(pagesOfRange(index, 'a', 'b')).toEqual([0])
    expect(pagesOfRange(index, 'c', 'c\u0000')).toEqual([0])
    expect(pagesOfRange(index, 'd', 'd\u0000')).toEqual([1])
    expect(pagesOfRange(index, 'e', 'gg')).toEqual([2, 5])
    expect(pagesOfRange(index, 'z', 'zz')).toEqual([5])
  })
})
