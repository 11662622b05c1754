// Compares the hits of searches with the words of all posts of the model.
import { expect } from 'vitest'
import { posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/posts/search-contract.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { scan } from '../search/scan.ts'
import { folded, type Model, type ModelPost } from './model.ts'
import type { HistoryWorld } from './world.ts'

const QUERIES = ['al', 'AL b', 'alp', 'ete', 'Été short', 'shorter', 'zeb', '東京', 'short zebra', 'fiction']
/** Each check takes a third of the queries, since each of them is searched in several ways. */
const TURNS = 3

/** Right before the pending changes are merged, and after. */
export async function expectHits(world: HistoryWorld, model: Model, turn: number): Promise<void> {
  const queries = QUERIES.filter((_, n) => n % TURNS === turn % TURNS)
  await expectAll(world, model, queries)
  await world.updateIndex()
  await expectAll(world, model, queries)
}

async function expectAll(world: HistoryWorld, model: Model, queries: string[]): Promise<void> {
  const docs = model.posts().filter(model.isLive).map(documentOf)
  for (const q of queries) {
    const words = wordsIn(q).filter(word => Array.from(word).length > 1)
    const all = scan(docs, { words, types: 'all' })
    expect([q, await hitsOf(world, q)]).toEqual([q, { total: all.length, ids: all }])
    // The total is right on a page that does not contain all hits.
    expect([q, (await hitsOf(world, q, 1)).total]).toEqual([q, all.length])
    await expectPages(world, { q }, scan(docs, { words, types: 'posts' }))
    for (const { id, slug } of model.categories().slice(0, 2)) {
      const ofCategory = scan(docs, { words, types: 'posts', categoryId: id })
      await expectPages(world, { q, category: slug }, ofCategory)
    }
  }
}

/** The model has no bodies. */
function documentOf({ id, title, summary, kind, at, categoryIds }: ModelPost): SearchDocument {
  const texts = { title: wordsIn(title), short: wordsIn(summary), body: [], body_sha256: '' }
  return { id, ...texts, posted_at: at ?? 0, is_page: kind === 'page', category_ids: categoryIds }
}

/** Two swaps of the manifest leave something, each for some seconds. */
const CLEANED_MS = 12_000

/** Without posts the index is empty. */
export async function expectNoIndex(world: HistoryWorld): Promise<void> {
  for (let n = 0; n < 4; n++) {
    world.advance(CLEANED_MS)
    await world.catchUp()
    await world.updateIndex()
  }
  const left = (await world.dump()).filter(
    ({ pk, sk }) => /^(DOC|SEGMENT)#/.test(pk) || (pk === 'INDEX' && sk !== 'MANIFEST'),
  )
  expect(left).toEqual([])
}

async function hitsOf({ call }: HistoryWorld, q: string, per_page = 50) {
  const { total, posts } = (await call(search.search, { query: { q, per_page } })).read()
  return { total, ids: posts.map(({ id }) => id) }
}

const PER_PAGE = 4

async function expectPages(
  { call }: HistoryWorld,
  query: Record<string, string>,
  expected: number[],
): Promise<void> {
  for (const page of [1, 2]) {
    const { read, pagination } = await call(posts.listPosts, {
      query: { ...query, page, per_page: PER_PAGE },
    })
    const ids = expected.slice((page - 1) * PER_PAGE, page * PER_PAGE)
    expect([query, page, pagination?.total, read().map(({ id }) => id)]).toEqual([
      query,
      page,
      expected.length,
      ids,
    ])
  }
}

function wordsIn(text: string): string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? []
}
