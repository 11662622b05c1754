// Compares merged segments, and pages of hits in several, with plain maps and arrays.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clause } from '../../shared/search/clauses.ts'
import { type DocumentChange, entriesOf } from '../../shared/search/entry.ts'
import { mergeEntries, postsAfterMerge, postsOf } from '../../shared/search/merge-entries.ts'
import { decompressPage, listsOf, packedEntriesIn, unpackBlock } from '../../shared/search/page.ts'
import { planPage, takePage } from '../../shared/search/page-plan.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { added, all, docOf, idsUpTo, POSTS, read, type Written, write } from './segments-in-memory.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

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
