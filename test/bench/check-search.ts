// Whether searches find what a plain scan of the site's words finds: their totals, and every page where there are few.
import * as z from 'zod/mini'
import { posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import { scanFor, type Wanted } from './matches.ts'
import { call } from './rows.ts'
import { PLANTED, type Site } from './site.ts'

const Found = z.object({ data: z.object({ total: z.int(), posts: z.array(z.object({ id: z.int() })) }) })
const Listed = z.object({
  pagination: z.object({ total: z.int() }),
  data: z.array(z.object({ id: z.int() })),
})

/** What one answer shows at most. */
const SHOWN = 50

/** A line for each search that found something else; and how many there were. */
export async function checkSearch(
  site: Site,
  nowSeconds: number,
): Promise<{ wrong: string[]; count: number }> {
  const { rare, half, pair, prefix } = PLANTED
  const ofRank = (rank: number) => site.words[rank] ?? ''
  const searches: Wanted[] = [
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
  const inCategory: Wanted[] = [
    { words: [half], category: 1, type: 'post' },
    { words: [prefix], category: 3, type: 'post' },
    { words: [pair[0]], category: 19, type: 'post' },
    { words: [ofRank(300), 'st'], category: 2, type: 'post' },
  ]
  const wanted = [...searches, ...inCategory]
  const expected = scanFor(site, wanted, nowSeconds)
  const wrong: string[] = []
  for (const [n, asked] of wanted.entries()) {
    const ids = expected[n] ?? new Set()
    const { total, shown } = await (asked.category === undefined ? bySearch(asked) : byList(asked))
    const isRight =
      total === ids.size && shown.length === Math.min(SHOWN, total) && shown.every(id => ids.has(id))
    if (!isRight) wrong.push(`${JSON.stringify(asked)} found ${total}, a plain scan ${ids.size}`)
  }
  return { wrong, count: wanted.length }
}

async function bySearch({ words }: Wanted) {
  const { text } = await call.search(search.search, { query: { q: words.join(' '), per_page: SHOWN } })
  const { data } = Found.parse(JSON.parse(text))
  return { total: data.total, shown: data.posts.map(({ id }) => id) }
}

async function byList({ words, category }: Wanted) {
  const query = { q: words.join(' '), category: `category-${category}`, per_page: SHOWN }
  const { text } = await call.posts(posts.listPosts, { query })
  const { pagination, data } = Listed.parse(JSON.parse(text))
  return { total: pagination.total, shown: data.map(({ id }) => id) }
}
