// The cost of public reads does not grow with the number of categories.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { useTable } from '../world/new-table.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { type Cost, countRow } from './count.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { createTargets } from './measure.ts'
import { type Row, rowsFor } from './rows.ts'
import { CATEGORIES, openSite } from './site.ts'

const MANY = 500
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

const world = useTable()
let service: CountedService
let rows: Row[]
beforeAll(async () => {
  const site = openSite({ count: 120, seed: 1 })
  await loadSite(world.table, site)
  service = openCountedService(world)
  const targets = await createTargets(service.table, site, service.nowSeconds)
  rows = rowsFor(targets).filter(({ name }) => SHOWING.includes(name))
}, 120_000)
afterAll(() => service.stop())

async function costs(): Promise<Map<string, Omit<Cost, 'bytes'>>> {
  const counted = new Map<string, Omit<Cost, 'bytes'>>()
  for (const row of rows) {
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

it('reads posts at the same cost with 500 categories as with 20', { timeout: 120_000 }, async () => {
  expect(rows).toHaveLength(SHOWING.length)
  const few = await costs()
  await createCategories(CATEGORIES, MANY)
  expect(await costs()).toEqual(few)
})
