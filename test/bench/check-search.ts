// Compares searches with a plain scan of the site's words: the total, and the ids of the first page.
import * as z from 'zod/mini'
import { posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import { type SearchCase, scanFor } from './matches.ts'
import { call } from './rows.ts'
import { PLANTED, type Site } from './site.ts'

const SearchAnswer = z.object({
  data: z.object({ total: z.int(), posts: z.array(z.object({ id: z.int() })) }),
})
const ListAnswer = z.object({
  pagination: z.object({ total: z.int() }),
  data: z.array(z.object({ id: z.int() })),
})

/** The most that one response contains. */
const PER_PAGE = 50

/** Returns a line for each search that differs from the scan, and the number of searches. */
export async function checkSearch(
  site: Site,
  nowSeconds: number,
): Promise<{ wrong: string[]; count: number }> {
  const { rare, half, pair, prefix } = PLANTED
  const ofRank = (rank: number) => site.words[rank] ?? ''
  const searches: SearchCase[] = [
    ...rare.map(word => ({ words: [word] })),
    { words: [rare[0].slice(0, 4)] },
    { words: [...pair] },
    { words: [prefix] },
    { words: ['st'] },
    { words: ['tro'] },
    { words: [half] },
    { words: [half, prefix] },
    ...[0, 30, 300, 3_000, 20_000].map(rank => ({ words: [ofRank(rank)] })),
    { words: [ofRank(40), ofRank(400)] },
    { words: [ofRank(10), half, 'ba'] },
  ]
  const inCategory: SearchCase[] = [
    { words: [half], category: 1, type: 'post' },
    { words: [prefix], category: 3, type: 'post' },
    { words: [pair[0]], category: 19, type: 'post' },
    { words: [ofRank(300), 'st'], category: 2, type: 'post' },
  ]
  const cases = [...searches, ...inCategory]
  const expected = scanFor(site, cases, nowSeconds)
  const wrong: string[] = []
  for (const [n, search] of cases.entries()) {
    const ids = expected[n] ?? new Set()
    const { total, shown } = await (search.category === undefined ? bySearch(search) : byList(search))
    const isRight =
      total === ids.size && shown.length === Math.min(PER_PAGE, total) && shown.every(id => ids.has(id))
    if (!isRight) wrong.push(`${JSON.stringify(search)} found ${total} posts, a plain scan ${ids.size}`)
  }
  return { wrong, count: cases.length }
}

async function bySearch({ words }: SearchCase) {
  const { text } = await call.search(search.search, { query: { q: words.join(' '), per_page: PER_PAGE } })
  const { data } = SearchAnswer.parse(JSON.parse(text))
  return { total: data.total, shown: data.posts.map(({ id }) => id) }
}

async function byList({ words, category }: SearchCase) {
  const query = { q: words.join(' '), category: `category-${category}`, per_page: PER_PAGE }
  const { text } = await call.posts(posts.listPosts, { query })
  const { pagination, data } = ListAnswer.parse(JSON.parse(text))
  return { total: pagination.total, shown: data.map(({ id }) => id) }
}
