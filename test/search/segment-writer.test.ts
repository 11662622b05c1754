// One segment: long lists in blocks, terms of prefixes, pauses of its writer, the pages of a range.
import { describe, expect, it } from 'vitest'
import { entriesOf, prefixTerm } from '../../shared/search/entry.ts'
import {
  decompressPage,
  listsOf,
  packedEntriesIn,
  pagesOfRange,
  unpackBlock,
  unpackIndex,
} from '../../shared/search/page.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { isLarge, type PostingList } from '../../shared/search/posting-list.ts'
import { openSegmentWriter } from '../../shared/search/segment-writer.ts'
import { added, all, docOf, idsUpTo, POSTS, read, write } from './segments-in-memory.ts'

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

  it('is the same if its writer was interrupted after any term', async () => {
    const entries = entriesOf(added(idsUpTo(400)))
    for (const hasPrefixes of [false, true]) {
      const whole = write(entries, hasPrefixes)
      let paused = 0
      for (const at of [1, 7, 150, 700, entries.length - 1]) {
        const first = openSegmentWriter({ hasPrefixes })
        for (const entry of entries.slice(0, at)) first.add(entry)
        const state = first.pauseBefore(entries[at]?.term ?? '')
        if (!state) continue
        paused++
        const items = first.take()
        const parts = state.parts.map(n => unpackIndex(items[n]?.bytes ?? new Uint8Array()))
        const index = {
          terms: parts.flatMap(({ terms }) => terms),
          pages: parts.flatMap(({ pages }) => pages),
        }
        const second = openSegmentWriter({ hasPrefixes }, { ...state, index })
        for (const entry of entries.slice(at)) second.add(entry)
        second.finish()
        const both = [...items, ...second.take()]
        const pages = unpackIndex(both.at(-1)?.bytes ?? new Uint8Array()).pages
        expect(await all(read({ items: both, pages }))).toEqual(await all(read(whole)))
      }
      expect(paused).toBeGreaterThan(0)
    }
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
