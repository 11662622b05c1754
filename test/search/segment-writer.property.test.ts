// Compares merged segments with plain maps: long lists in blocks, terms of prefixes, pauses, pages of hits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clause } from '../../shared/search/clause.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { type DocumentChange, type Entry, entriesOf, prefixTerm } from '../../shared/search/entry.ts'
import {
  decompressPage,
  listsOf,
  packedEntriesIn,
  pagesOfRange,
  unpackBlock,
  unpackIndex,
} from '../../shared/search/page.ts'
import { planPage, takePage } from '../../shared/search/page-plan.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { isLarge, type PostingList } from '../../shared/search/posting-list.ts'
import { mergeEntries, postsAfterMerge, postsOf } from '../../shared/search/segment-merge.ts'
import { openSegmentWriter, type SegmentItem } from '../../shared/search/segment-writer.ts'
import { entriesOfPages } from '../../shared/search/store/segment-entries.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
/** More than fit into a page of terms, and into a block. */
const POSTS = 2_500
const WORDS = ['every', 'even', 'evening', 'third', 'thistle', 'ab', 'abc', 'été', '東京', '😀x']

function docOf(id: number, version: number): SearchDocument {
  const body = WORDS.filter((_, n) => n === 0 || (id + version) % (n + 1) === 0).sort()
  const rare = [`rare${id}`, `rare${id}v${version}`].sort()
  return {
    id,
    posted_at: 1_000 + (id % 50),
    is_page: id % 9 === 0,
    category_ids: [1 + (id % 3)],
    body_sha256: '',
    title: rare,
    short: [],
    body,
  }
}

type Written = { items: SegmentItem[]; pages: number[] }

function write(entries: Entry[], hasPrefixes: boolean): Written {
  const writer = openSegmentWriter({ hasPrefixes })
  for (const entry of entries) writer.add(entry)
  const { items: count, hasIndex } = writer.finish()
  const items = writer.take()
  expect(items.map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, n) => n))
  const last = items.at(-1)?.bytes ?? new Uint8Array()
  return { items, pages: hasIndex ? unpackIndex(last).pages : [count - 1] }
}

const readerOf =
  ({ items }: Written) =>
  async (numbers: number[]) =>
    numbers.map(n => items[n]?.bytes ?? new Uint8Array())

function read(written: Written) {
  return entriesOfPages(written.pages, readerOf(written))
}

async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

function added(ids: number[], version = 1): DocumentChange[] {
  return ids.map(id => ({ before: undefined, after: docOf(id, version) }))
}

function idsUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1)
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

/** Each step changes or removes some posts of the step before. */
const step = fc.record({
  changed: fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { maxLength: 60 }),
  removed: fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { maxLength: 30 }),
})

describe('neighbouring segments', () => {
  it('have the same postings after any merge as one segment of all documents', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 6 }),
        fc.nat(5),
        fc.integer({ min: 2, max: 6 }),
        async (steps, from, count) => {
          const { segments, model } = segmentsOf(steps)
          const some = segments.slice(from, from + count)
          const merged = await mergeOf(some, from === 0)
          const after = [...segments.slice(0, from), merged, ...segments.slice(from + count)]
          const bottom = await mergeOf(after, true)
          expect(await all(read(bottom))).toEqual(
            entriesOf([...model.values()].map(doc => ({ before: undefined, after: doc }))),
          )
        },
      ),
      { seed, numRuns: 8 },
    )
  })

  it('have each page of hits that a plain array has, however much is removed again', async () => {
    const { segments, model } = segmentsOf([
      { changed: idsUpTo(600).filter(id => id % 7 === 0), removed: idsUpTo(600).filter(id => id % 11 === 0) },
      { changed: idsUpTo(600).filter(id => id % 5 === 0), removed: [] },
    ])
    for (const word of ['every', 'even', 'third']) {
      const sources = segments.map(segment => sourceOf(segment, word))
      const clause: Clause = { sources, count: 0, isWeighted: true, weightIn: () => undefined }
      for (const types of ['all', 'posts'] as const) {
        const expected = [...model.values()]
          .filter(({ body, is_page }) => body.includes(word) && (types === 'all' || !is_page))
          .map(({ id, posted_at, is_page }) => ({ weight: 1, posted_at, id, is_page }))
          .sort(byRank)
        for (let skip = 0; skip < expected.length + 20; skip += 37) {
          const plan = planPage(clause, { types, skip, take: 20 })
          if (!plan) throw new Error('The lists must have one term each.')
          const postings = plan.blocks.flatMap(({ list, index }) =>
            blockOf(segments, list.segment, list.first + index),
          )
          expect([word, skip, plan.total, takePage(plan, postings)]).toEqual([
            word,
            skip,
            expected.length,
            expected.slice(skip, skip + 20),
          ])
        }
      }
    }
  })
})

type Step = { changed: number[]; removed: number[] }

/** The first segment has 2,500 posts, each further one the changes of a step. */
function segmentsOf(steps: Step[]) {
  const model = new Map(idsUpTo(POSTS).map(id => [id, docOf(id, 1)]))
  const changes = steps.map(({ changed, removed }, n) => {
    const ids = [...new Set([...changed, ...removed])]
    return ids.flatMap((id): DocumentChange[] => {
      const before = model.get(id)
      const after = changed.includes(id) ? docOf(id, n + 2) : undefined
      if (after) {
        model.set(id, after)
      } else {
        model.delete(id)
      }
      return before || after ? [{ before, after }] : []
    })
  })
  const first = write(entriesOf(added(idsUpTo(POSTS))), false)
  return { model, segments: [first, ...changes.map(some => write(entriesOf(some), false))] }
}

async function mergeOf(segments: Written[], isOldest: boolean): Promise<Written> {
  const firsts = await Promise.all(segments.map(async segment => (await read(segment).next()).value))
  const posts = firsts.map(first => postsOf(first ?? undefined))
  const inputs = segments.map((segment, n) => ({
    entries: read(segment),
    posts: posts[n] ?? { added: new Set<number>(), removed: new Set<number>() },
  }))
  const entries = await all(mergeEntries(inputs, isOldest))
  expect(postsOf(entries[0])).toEqual(postsAfterMerge(posts, isOldest))
  return write(entries, false)
}

function sourceOf({ items, pages }: Written, word: string) {
  for (const page of pages) {
    for (const entry of packedEntriesIn(decompressPage(items[page]?.bytes ?? new Uint8Array()))) {
      if (entry.term !== word) continue
      const { plus, minus } = listsOf(String(items.length), entry)
      return { plus: [plus], minus: [minus] }
    }
  }
  return { plus: [], minus: [] }
}

/** The number of its items is the name of a segment. */
function blockOf(segments: Written[], name: string, n: number): Posting[] {
  const segment = segments.find(({ items }) => String(items.length) === name)
  return unpackBlock(segment?.items[n]?.bytes ?? new Uint8Array())
}
