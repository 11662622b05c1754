// The cost of public reads with many categories and scheduled posts: after a change, and when repeated.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCategory } from '../../shared/categories/commands.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { useTable } from '../world/new-table.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { budgets, exceeded, isOfLargeSite, OF_LARGE_SITE } from './budgets.ts'
import { type Cost, countRow } from './count.ts'
import { countRepeated } from './count-repeated.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { createTargets } from './measure.ts'
import { type Row, rowsFor, type Targets } from './rows.ts'
import { CATEGORIES, openSite } from './site.ts'

const MANY = 500
const SCHEDULED = 300
const PUBLIC = 120
/** Each kind of response that shows the names of categories. */
const SHOWING = [
  'GET /posts',
  'GET /posts?category=',
  'GET /search, a rare word',
  'GET /posts/{slug}',
  'GET /categories/{slug}/posts',
  'GET /admin/posts',
  'GET /admin/posts/{id}',
]
/** The reads that are repeated most. */
const REPEATED = [
  'GET /posts',
  'GET /posts, any other page',
  'GET /posts/{slug}',
  'GET /posts/{slug}, 304',
  'GET /categories/{slug}/posts',
  'GET /categories',
]

const world = useTable()
let service: CountedService
let targets: Targets
beforeAll(async () => {
  const site = openSite({ count: PUBLIC + SCHEDULED, seed: 1, scheduled: SCHEDULED })
  await loadSite(world.table, site)
  service = openCountedService(world)
  targets = await createTargets(service.table, site, service.nowSeconds)
})
afterAll(() => service.stop())

function rowsOf(names: string[]): Row[] {
  const rows = rowsFor(targets).filter(({ name }) => names.includes(name))
  expect(rows).toHaveLength(names.length)
  return rows
}

async function costs(): Promise<Map<string, Omit<Cost, 'bytes'>>> {
  const counted = new Map<string, Omit<Cost, 'bytes'>>()
  for (const row of rowsOf(SHOWING)) {
    const { bytes: _, ...cost } = await countRow(service, row)
    counted.set(row.name, cost)
  }
  return counted
}

async function createCategories(from: number, to: number): Promise<void> {
  const work = unitOfWorkOn(world.table, LOADED_AT * 1000)
  const numbers = Array.from({ length: to - from }, (_, n) => from + n)
  await mapConcurrently(numbers, 4, async n => {
    await createCategory(work, { name: `More ${n}`, slug: `more-${n}`, description: 'Words '.repeat(160) })
  })
}

it('reads posts at the same cost with 500 categories as with 20', async () => {
  const few = await costs()
  await createCategories(CATEGORIES, MANY)
  expect(await costs()).toEqual(few)
})

it(`stays within the budgets of test/bench/budgets.json${OF_LARGE_SITE}`, async () => {
  const repeated = await countRepeated(service, rowsOf(REPEATED), targets)
  const named = new Map([...repeated].map(([name, cost]) => [`${name}${OF_LARGE_SITE}`, cost]))
  expect(Object.keys(budgets).filter(isOfLargeSite).sort()).toEqual([...named.keys()].sort())
  expect(
    exceeded(named),
    'Find the new read. If it is meant, raise the budget in test/bench/budgets.json.',
  ).toEqual([])
})
