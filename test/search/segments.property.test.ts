// Compares searches with a plain scan after random changes of posts, at any stage of the merges of the index.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceDoc } from '../../shared/search/commands/index-actions.ts'
import { updateIndex } from '../../shared/search/commands/update-index.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { byRank } from '../../shared/search/posting.ts'
import { storedDoc } from '../../shared/search/store/documents.ts'
import { findHits } from '../../shared/search/store/hits.ts'
import { FIELDS } from '../../shared/search/weights.ts'
import { docKey } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'
import { checkRandom, LONGEST_MS } from '../world/property.ts'

const TIME_MS = 4_000
const WORDS = ['ab', 'abc', 'abcd', 'abcde', 'abd', 'abx', 'ba', 'bad', 'bade', 'zz']
const QUERIES = [
  ['ab'],
  ['abc'],
  ['abcd'],
  ['ba'],
  ['zz'],
  ['ab', 'ba'],
  ['abcd', 'bad'],
  ['abc', 'zz', 'ba'],
]

const words = fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 4 })
const content = fc.record({
  title: words,
  short: words,
  body: words,
  posted_at: fc.integer({ min: 1, max: 5 }),
  is_page: fc.boolean(),
  category_ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
})
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 12 }), content }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 4, arbitrary: fc.constant('merge' as const) },
  { weight: 1, arbitrary: fc.constant('later' as const) },
)

describe('a search', () => {
  it(
    'has the hits of a plain scan after any changes, merged or not',
    async () => {
      await checkRandom(
        fc.array(step, { minLength: 10, maxLength: 60 }),
        async steps => {
          const world = await newTable()
          const model = new Map<number, SearchDocument>()
          let revision = 0
          let nowMs = 1_000_000
          const change = async (id: number, doc: SearchDocument | 'left') => {
            const [item] = await world.table.findMany([docKey(id)])
            revision++
            await world.table.transact(
              await replaceDoc(world.table, { id, revision, doc }, storedDoc(item), nowMs),
            )
          }
          try {
            for (const step of steps) {
              if (step === 'merge') {
                await updateIndex({ table: world.table, nowMs, log: fail })
              } else if (step === 'later') {
                nowMs += 6_000
              } else if ('remove' in step) {
                if (model.delete(step.remove)) await change(step.remove, 'left')
              } else {
                const doc = documentOf(step.id, step.content)
                model.set(step.id, doc)
                await change(step.id, doc)
              }
              await expectHits(world.table, model)
            }
            nowMs += 6_000
            for (const id of model.keys()) await change(id, 'left')
            for (let n = 0; n < 4; n++) {
              await updateIndex({ table: world.table, nowMs, log: fail })
              nowMs += 6_000
            }
            await expectHits(world.table, new Map())
          } finally {
            await world.stop()
          }
        },
        TIME_MS,
      )
    },
    LONGEST_MS,
  )
})

function fail(_level: string, message: string): void {
  throw new Error(message)
}

type Content = typeof content extends fc.Arbitrary<infer T> ? T : never

function documentOf(id: number, { title, short, body, ...members }: Content): SearchDocument {
  const shortOnly = short.filter(word => !title.includes(word))
  const bodyOnly = body.filter(word => !title.includes(word) && !short.includes(word))
  return {
    id,
    body_sha256: '',
    ...members,
    title: title.toSorted(),
    short: shortOnly.toSorted(),
    body: bodyOnly.toSorted(),
  }
}

async function expectHits(table: Parameters<typeof findHits>[0], model: Map<number, SearchDocument>) {
  for (const words of QUERIES) {
    for (const categoryId of [undefined, 1]) {
      for (const types of ['all', 'posts'] as const) {
        const ranked = [...model.values()]
          .map(doc => ({ doc, weights: words.map(word => weightIn(doc, word)) }))
          .filter(({ weights }) => weights.every(weight => weight > 0))
          .filter(({ doc }) => categoryId === undefined || doc.category_ids.includes(categoryId))
          .filter(({ doc }) => types === 'all' || !doc.is_page)
          .map(({ doc, weights }) => ({ ...doc, weight: weights.reduce((sum, weight) => sum + weight, 0) }))
          .sort(byRank)
          .map(({ id }) => id)
        for (const [skip, take] of [
          [0, 50],
          [1, 2],
        ] as const) {
          const found = await findHits(table, { words, categoryId, types, skip, take })
          expect({ words, categoryId, types, skip, ...found }).toEqual({
            words,
            categoryId,
            types,
            skip,
            ids: ranked.slice(skip, skip + take),
            total: ranked.length,
          })
        }
      }
    }
  }
}

function weightIn(doc: SearchDocument, word: string): number {
  return FIELDS.find(([field]) => doc[field].some(indexed => indexed.startsWith(word)))?.[1] ?? 0
}
