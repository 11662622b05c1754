// Every list with pages tells its exact total: as many items as a walk finds, by page and by cursor.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { ENDPOINTS, membersOf } from '../support/endpoints.ts'
import { recordsOf } from '../support/records.ts'
import { useWorld } from '../support/world.ts'

type Query = Record<string, string | number | boolean>

const LISTS = ENDPOINTS.filter(({ endpoint }) => endpoint.isPaginated)
/** Records of each collection besides the shared one. */
const RECORDS = 4
const COLLECTIONS = ['posts', 'pages', 'comments', 'tickets', 'contact']

/** Values of each parameter that chooses among the items, some of which match none. */
const FILTERS: Record<string, (string | boolean)[]> = {
  category: ['unknown'],
  q: ['hello', 'user', 'unknown'],
  drafts_only: [true],
  content_type: ['post', 'page'],
  slug: ['hello-world', 'unknown'],
  status: ['pending', 'approved', 'open', 'resolved'],
}
const OTHERS = ['page', 'per_page', 'after', 'order', 'include']

const world = useWorld()
const records = recordsOf(world)
beforeAll(async () => {
  for (const collection of COLLECTIONS) {
    await records.share(collection)
    for (let n = 0; n < RECORDS; n++) await records.create(collection)
  }
  const category_ids = [(await records.share('categories')).id]
  for (let n = 0; n < RECORDS; n++) {
    await world.create.user()
    await world.call(newsletter.subscribe, { body: { email: `reader-${n}@example.com` } })
    await world.create.livePost({ category_ids, posted_at: `2999-01-0${n + 1}` })
  }
})

function namesOf(endpoint: Endpoint): string[] {
  return membersOf(endpoint.query).map(([name]) => name)
}

/** No filter, each value of each filter, and a category together with a search. */
async function filtersOf(endpoint: Endpoint): Promise<Query[]> {
  const names = namesOf(endpoint)
  const single = names
    .filter(name => !OTHERS.includes(name))
    .flatMap(name => {
      const values = FILTERS[name]
      if (values) return values.map((value): Query => ({ [name]: value }))
      throw new Error(`Add values of ${name} to FILTERS in test/api/totals-everywhere.test.ts.`)
    })
    .filter(query => endpoint.query.safeParse(textsOf(query)).success)
  const category = String((await records.share('categories')).slug)
  const ofCategory: Query[] = names.includes('category') ? [{ category }, { category, q: 'hello' }] : []
  return [{}, ...single, ...ofCategory]
}

function textsOf(query: Query): Query {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
}

describe.each(LISTS)('$name', ({ endpoint }) => {
  const orders: Query[] = namesOf(endpoint).includes('order')
    ? [{ order: 'newest' }, { order: 'oldest' }]
    : [{}]

  it('tells the total, the last page and the places of its items exactly, in each order', async () => {
    const params = await records.paramsFor(endpoint)
    const read = async (query: Query) => {
      const { data, pagination, cursor } = await world.call(endpoint, { params, query, token: world.admin })
      return { items: [data].flat().map(item => JSON.stringify(item)), pagination, cursor }
    }
    /** The items of all pages up to the first empty one, and what each page says of itself. */
    const walkPages = async (query: Query) => {
      const items: string[] = []
      const said: unknown[] = []
      for (let page = 1; ; page++) {
        const part = await read({ ...query, page })
        said.push(part.pagination)
        if (part.items.length === 0) return { items, said }
        items.push(...part.items)
      }
    }
    const walkCursors = async (query: Query) => {
      const items: string[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const part = await read({ ...query, ...(after && { after }) })
        items.push(...part.items)
        after = part.cursor.next
        if (after === null) expect(part.pagination).toMatchObject({ total: items.length })
      }
      return items
    }

    const filters = await filtersOf(endpoint)
    for (const filter of filters) {
      const met: string[][] = []
      for (const order of orders.filter(({ order }) => !('q' in filter) || order !== 'oldest')) {
        const { items } = await walkPages({ ...filter, ...order, per_page: 3 })
        met.push(items)
        for (const per_page of new Set([1, Math.max(1, items.length), 39])) {
          const query = { ...filter, ...order, per_page }
          const pages = await walkPages(query)
          expect(pages.items, JSON.stringify(query)).toEqual(items)
          expect(pages.said, JSON.stringify(query)).toEqual(expectedPages(items.length, per_page))
          if (endpoint.hasCursor && !('q' in filter)) expect(await walkCursors(query)).toEqual(items)
        }
      }
      const [newest = [], oldest = newest.toReversed()] = met
      expect(oldest).toEqual(newest.toReversed())
    }
  })
})

/** What all pages of a list say, and the empty one past its end. */
function expectedPages(total: number, per_page: number) {
  return Array.from({ length: Math.ceil(total / per_page) + 1 }, (_, n) => {
    const before = n * per_page
    return {
      current_page: n + 1,
      per_page,
      total,
      last_page: Math.max(1, Math.ceil(total / per_page)),
      from: before < total ? before + 1 : 0,
      to: before < total ? Math.min(total, before + per_page) : 0,
    }
  })
}
