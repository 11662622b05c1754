// Compares searches of many words with a plain scan of random posts, and bounds their cost.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../shared/http/errors.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { findHits, type Hits } from '../../shared/search/hits.ts'
import { MAX_WORDS } from '../../shared/search/matches.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { slices } from '../../shared/table/concurrency.ts'
import { randomOf } from '../bench/random.ts'
import { useTable } from '../support/new-table.ts'
import { putDocuments } from './documents.ts'
import { type Search, scan } from './scan.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const POSTS = 500
/** So few that all segments are merged into one. The last posts stay pending. */
const POSTS_MERGED = 28
const FIRST = [...'bcdf東hkl😀é']
/** Word n is in about every (n + 1)th post: some words are in nearly all posts, most in few. */
const WORDS = Array.from({ length: 120 }, (_, n) => `${FIRST[n % 10]}${'aeiou'[n % 5]}${'rst'[n % 3]}${n}x`)

/** All of them are in each of the first posts, which are too many for a small posting list. */
const COMMON = Array.from({ length: 12 }, (_, n) => `z${'abcdefghijkl'[n]}q`)
const POSTS_WITH_COMMON = 400

function generateDocuments(): SearchDocument[] {
  const { next: random } = randomOf(seed, 0)
  return Array.from({ length: POSTS }, (_, n) => {
    const words = WORDS.filter((_, rank) => random() < 1.5 / (rank + 1) ** 0.7)
    return {
      id: n + 1,
      posted_at: 1_700_000_000 + Math.floor(random() * 50),
      is_page: n % 9 === 0,
      category_ids: [1 + (n % 4)],
      body_sha256: String(n),
      title: words.filter((_, place) => place % 7 === 0).sort(),
      short: words.filter((_, place) => place % 7 === 1).sort(),
      body: [...words.filter((_, place) => place % 7 > 1), ...(n < POSTS_WITH_COMMON ? COMMON : [])].sort(),
    }
  })
}

const docs = generateDocuments()
const world = useTable()
beforeAll(async () => {
  for (const some of slices(docs, POSTS_MERGED)) {
    await putDocuments(world.table, some)
    if (some.length < POSTS_MERGED) return
    await updateIndex({ table: world.table, clock: () => 0 })
  }
})

function hitsFor(query: Search): Promise<Hits | 'too common'> {
  return findHits(world.table, { ...query, nowSeconds: 0, skip: 0, take: POSTS }).catch(error => {
    if (error instanceof ApiError && error.fields?.q) return 'too common'
    throw error
  })
}

/** Words of one post, so that most searches have a hit, some of them cut to a prefix. */
const queries = fc.record({
  post: fc.nat(POSTS - 1),
  count: fc.integer({ min: 1, max: 40 }),
  lengths: fc.array(fc.constantFrom(2, 3, 4, 9), { minLength: 40, maxLength: 40 }),
  categoryId: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  types: fc.constantFrom('all' as const, 'posts' as const),
})

describe('a search of any number of words', () => {
  it('has the hits of a plain scan in the same order, in at most 6 round trips and 80 units', async () => {
    let most = 0
    await fc.assert(
      fc.asyncProperty(queries, async ({ post, count, lengths, ...filter }) => {
        const all = [...(docs[post]?.title ?? []), ...(docs[post]?.short ?? []), ...(docs[post]?.body ?? [])]
        const words = [
          ...new Set(all.slice(0, count).map((word, n) => [...word].slice(0, lengths[n]).join(''))),
        ]
        if (words.length === 0) return
        const { result, used } = await world.measure(() => hitsFor({ words, ...filter }))
        const expected = scan(docs, { words, ...filter })
        if (result === 'too common') {
          expect(words.length).toBeGreaterThan(MAX_WORDS)
        } else {
          expect(result).toEqual({ ids: expected, total: expected.length })
        }
        expect(used.roundTrips).toBeLessThanOrEqual(6)
        expect(used.readUnits).toBeLessThanOrEqual(80)
        if (result !== 'too common') most = Math.max(most, words.length)
      }),
      { seed, numRuns: 150 },
    )
    expect(most).toBeGreaterThan(MAX_WORDS)
  })

  it('fails validation with more than ten words that are all in many posts', async () => {
    const common = { words: COMMON, categoryId: undefined, types: 'all' as const }
    const { result, used } = await world.measure(() => hitsFor(common))
    expect(result).toBe('too common')
    expect(used.readUnits).toBeLessThanOrEqual(50)
  })

  it('has all hits with ten common words, and with more common words and a rare one', async () => {
    const ten = { words: COMMON.slice(0, MAX_WORDS), categoryId: undefined, types: 'all' as const }
    expect(await hitsFor(ten)).toMatchObject({ total: POSTS_WITH_COMMON })
    const withCommon = docs.slice(0, POSTS_WITH_COMMON)
    const [rare = ''] = WORDS.toReversed().filter(word => withCommon.some(({ body }) => body.includes(word)))
    const withRare = { words: [...COMMON, rare], categoryId: undefined, types: 'all' as const }
    expect(await hitsFor(withRare)).toMatchObject({ ids: scan(docs, withRare) })
  })
})
