// Pages of public lists at any moment of the clock: items, total and last page are those of the posts that
// are due then, from either end, though scheduled posts come due between two pages.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uncachedContent } from '../../shared/cache/content.ts'
import { paginationOf } from '../../shared/http/reply.ts'
import { categoryList, POSTS } from '../../shared/posts/lists.ts'
import { type PublicListQuery, showPublicPage } from '../../shared/posts/store/post-lists.ts'
import { newTable } from '../support/new-table.ts'
import { checkRandom } from '../support/property.ts'
import { openSite } from './walks.ts'

const TIME_MS = 2_000
const AT = { key: 'the key of clients', place: 'a list' }
const ORDERS = ['newest', 'oldest'] as const

/** `times`: seconds from the start to the date of each post. `waits`: seconds between two pages. */
type History = { perPage: number; times: number[]; waits: number[]; isOfCategory: boolean }

const history: fc.Arbitrary<History> = fc.record({
  perPage: fc.oneof(fc.constantFrom(1, 2, 39, 100), fc.integer({ min: 1, max: 9 })),
  times: fc.array(fc.integer({ min: -6, max: 8 }), { maxLength: 14 }),
  waits: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 8 }),
  isOfCategory: fc.boolean(),
})

async function check({ perPage, times, waits, isOfCategory }: History): Promise<void> {
  const { table, stop } = await newTable()
  try {
    const site = await openSite(table)
    const posts: { id: number; posted_at: number }[] = []
    for (const posted_at of times) {
      posts.push({ posted_at, id: await site.publish({ posted_at, content_type: 'post', title: 'a' }) })
    }
    posts.sort((a, b) => a.posted_at - b.posted_at || a.id - b.id)
    const startMs = site.nowMs()
    const list = isOfCategory ? categoryList(site.category.id) : POSTS
    const read = (query: Partial<PublicListQuery>) =>
      showPublicPage(uncachedContent(table, site.nowMs()), list, { per_page: perPage, ...query }, AT)
    /** The ids of the posts that are due by now. */
    const dueIn = (order: (typeof ORDERS)[number]) => {
      const nowSeconds = (site.nowMs() - startMs) / 1000
      const ids = posts.filter(({ posted_at }) => posted_at <= nowSeconds).map(({ id }) => id)
      return order === 'oldest' ? ids : ids.toReversed()
    }

    const expectPage = async (page: number, order: (typeof ORDERS)[number]) => {
      const { data, pagination } = await read({ page, order })
      const ids = dueIn(order)
      expect(data.map(({ id }) => id)).toEqual(ids.slice((page - 1) * perPage, page * perPage))
      expect(pagination).toEqual(paginationOf(page, perPage, ids.length))
    }
    const expectWalk = async (order: (typeof ORDERS)[number]) => {
      const met: number[] = []
      let total: number | undefined
      for (let after: string | null | undefined; after !== null; ) {
        const part = await read({ order, ...(after && { after }) })
        met.push(...part.data.map(({ id }) => id))
        total = part.pagination?.total
        after = part.cursor?.next ?? null
      }
      expect(met).toEqual(dueIn(order))
      expect(total).toBe(met.length)
    }

    for (const [n, wait] of [0, ...waits].entries()) {
      await site.take({ wait })
      for (const order of ORDERS) await expectPage(n + 1, order)
    }
    for (const order of ORDERS) {
      const last = Math.max(1, Math.ceil(dueIn(order).length / perPage))
      const pages = Array.from({ length: last + 1 }, (_, n) => n + 1)
      await Promise.all(pages.map(page => expectPage(page, order)))
      await expectWalk(order)
    }
  } finally {
    await stop()
  }
}

/** Two full pages of 39 posts, and one more that comes due in each of the next seconds. */
const FULL_PAGES = Array.from({ length: 78 }, (_, n) => -n)
const SCHEDULED = Array.from({ length: 110 }, (_, n) => n + 1)

const EXAMPLES: Record<string, History> = {
  'no post': { perPage: 39, times: [], waits: [1], isOfCategory: false },
  'one page that is full': { perPage: 2, times: [-2, -1], waits: [0, 0], isOfCategory: true },
  'only scheduled posts': { perPage: 1, times: [2, 3, 3], waits: [1, 1, 1], isOfCategory: false },
  'full pages, and more scheduled posts than are read': {
    perPage: 39,
    times: [...FULL_PAGES, ...SCHEDULED],
    waits: [1, 0, 38, 1],
    isOfCategory: false,
  },
}

describe('the pages of a public list, from either end', () => {
  it.each(Object.entries(EXAMPLES))('have the exact total with %s', async (_, history) => check(history))

  it('have the exact total of any posts at any time', () => checkRandom(history, check, TIME_MS))
})
