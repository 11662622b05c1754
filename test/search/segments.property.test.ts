// Segments that are written, read and merged without a table, and pages of hits in several of them, compared
// with plain maps and arrays.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clause } from '../../shared/search/clauses.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { type DocumentChange, type Entry, entriesOf } from '../../shared/search/entry.ts'
import { mergeEntries } from '../../shared/search/merge-entries.ts'
import {
  decompressPage,
  listsOf,
  packedEntriesIn,
  unpackBlock,
  unpackIndex,
} from '../../shared/search/page.ts'
import { planPage, takePage } from '../../shared/search/page-plan.ts'
import { byRank, MAX_INLINE, type Posting } from '../../shared/search/posting.ts'
import { entriesOfPages } from '../../shared/search/segment-reader.ts'
import { openSegmentWriter } from '../../shared/search/segment-writer.ts'
import { segmentItemKey } from '../../shared/table/design.ts'

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

type WrittenSegment = { items: Uint8Array[]; pages: number[] }

function write(entries: Entry[]): WrittenSegment {
  const items: Uint8Array[] = []
  const writer = openSegmentWriter(bytes => items.push(bytes) - 1)
  for (const entry of entries) writer.add(entry)
  const { hasIndex, ...counts } = writer.finish()
  expect(counts).toEqual({ added: entries[0]?.plus.length ?? 0, removed: entries[0]?.minus.length ?? 0 })
  const last = items.length - 1
  return { items, pages: hasIndex ? unpackIndex(bytesOf(items, last)).pages : [last] }
}

function bytesOf(items: Uint8Array[], n: number): Uint8Array {
  return items[n] ?? new Uint8Array()
}

function read({ items, pages }: WrittenSegment) {
  return entriesOfPages(pages, async numbers => numbers.map(n => bytesOf(items, n)))
}

async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

function idsUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1)
}

function added(docs: Iterable<SearchDocument>): DocumentChange[] {
  return Array.from(docs, after => ({ before: undefined, after }))
}

type Step = { changed: number[]; removed: number[] }

/** Each step changes or removes some posts of the step before. */
const step = fc.record({
  changed: fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { maxLength: 60 }),
  removed: fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { maxLength: 30 }),
})

/** The first segment has 2,500 posts, each further one the changes of a step. */
function segmentsOf(steps: Step[]) {
  const model = new Map(idsUpTo(POSTS).map(id => [id, docOf(id, 1)]))
  const first = write(entriesOf(added(model.values())))
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
  return { model, segments: [first, ...changes.map(some => write(entriesOf(some)))] }
}

async function mergeOf(segments: WrittenSegment[], isOldest: boolean): Promise<WrittenSegment> {
  return write(await all(mergeEntries(segments.map(read), isOldest)))
}

function sourceOf({ items, pages }: WrittenSegment, word: string) {
  for (const page of pages) {
    for (const entry of packedEntriesIn(decompressPage(bytesOf(items, page)))) {
      if (entry.term !== word) continue
      const { plus, minus } = listsOf(String(items.length), entry)
      return { plus: [plus], minus: [minus] }
    }
  }
  return { plus: [], minus: [] }
}

/** The number of its items is the name of a segment. */
function blockOf(segments: WrittenSegment[], name: string, n: number): Posting[] {
  const segment = segments.find(({ items }) => String(items.length) === name)
  return unpackBlock(bytesOf(segment?.items ?? [], n))
}

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
          expect(await all(read(bottom))).toEqual(entriesOf(added(model.values())))
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

/** Their lengths change throughout the alphabet, so that pages compress differently. */
function randomWords(seed: number): string[] {
  const words = Array.from({ length: 400 }, (_, n) => {
    const number = Math.imul(seed * 1_000 + n, 2_654_435_761) >>> 0
    return number.toString(36).repeat(1 + (number % 5))
  })
  return [...new Set(words)].sort()
}

describe('a segment', () => {
  it('fills its pages up to one read unit, whatever the order of the words', async () => {
    const { pk, sk } = segmentItemKey('a'.repeat(12), 99_999)
    const overhead = Buffer.byteLength(`pk${pk}sk${sk}bytes`)
    for (const seed of [1, 7_919, 104_729]) {
      const posts = idsUpTo(40).map(id => ({ ...docOf(id, 1), body: randomWords(seed + id) }))
      const entries = entriesOf(added(posts))
      const written = write(entries)
      const sizes = written.pages.map(page => overhead + bytesOf(written.items, page).length)
      expect(sizes.length).toBeGreaterThan(20)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096)
      const full = sizes.slice(0, -1)
      expect(full.reduce((sum, size) => sum + size, 0) / full.length).toBeGreaterThan(0.97 * 4_096)
      expect(await all(read(written))).toEqual(entries)
    }
  })

  it('has a page of its own for an entry that is larger than a page', async () => {
    const posting: Posting = { weight: 1, posted_at: 1, id: 1, is_page: false }
    const long = idsUpTo(MAX_INLINE).map(n => ({
      ...posting,
      id: n * 7_919 ** 2,
      posted_at: 2 ** 31 - n * 1e6,
    }))
    const entries = [
      { term: 'a', plus: [posting], minus: [] },
      {
        term: 'm',
        plus: [posting, ...long].sort(byRank),
        minus: long.map(one => ({ ...one, id: one.id + 1 })),
      },
      { term: 'z', plus: [posting], minus: [] },
    ]
    expect(await all(read(write(entries)))).toEqual(entries)
  })
})
