// The cost of public reads with many categories and scheduled posts: after a change, and when repeated.
import { beforeAll, expect, it } from 'vitest'
import { createCategory } from '../../shared/categories/commands.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import type { CallOptions } from '../world/call.ts'
import { useTable } from '../world/new-table.ts'
import { contentIsRemembered } from '../world/remembered.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { budgets, exceeded, isOfLargeSite, OF_LARGE_SITE } from './budgets.ts'
import { afterThis, type Cost, countRow, deepest, fewestRounds, onPage, successOf } from './count.ts'
import { openCountedService } from './counted-service.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { call, createTargets, type Row, rowsFor, type Targets } from './rows.ts'
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
const service = use(async () => openCountedService(world))
let targets: Targets
beforeAll(async () => {
  const site = openSite({ count: PUBLIC + SCHEDULED, seed: 1, scheduled: SCHEDULED })
  await loadSite(world.table, site)
  targets = await createTargets(service, site)
})

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

/** Concurrent calls may look sequential by chance. */
const SAMPLES = 2

/** The cost of a read after another function has changed a post, and of the same read again. */
async function countRepeated(rows: Row[]): Promise<Map<string, Cost>> {
  const { id, token } = targets
  let changes = 0
  const change = async () => {
    const body = { title: `Title ${++changes}` }
    const { status } = await service.elsewhere(() =>
      call.admin(adminPosts.changePost, { params: { id: id + 1 }, body, token }),
    )
    if (status !== 200) throw new Error(`A change of a post answered ${status}`)
  }

  const costs = new Map<string, Cost>()
  for (const row of rows) {
    const samples: { first: Cost; repeated: Cost }[] = []
    for (let n = 0; n < SAMPLES; n++) {
      const ask = await askOf(row)
      await change()
      const first = await costOf(row, ask)
      await contentIsRemembered(service.table, service.nowSeconds * 1000)
      await successOf(row, ask)
      samples.push({ first, repeated: await costOf(row, ask) })
    }
    costs.set(`${row.name}, first after a change`, fewestRounds(samples.map(({ first }) => first)))
    costs.set(`${row.name}, repeated`, fewestRounds(samples.map(({ repeated }) => repeated)))
  }
  return costs
}

/** The read with its page or its ETag. */
async function askOf(row: Row): Promise<CallOptions> {
  const { isDeep, isWalked, isConditional, ask } = row
  const { text, headers } = await successOf(row, ask)
  if (isConditional) return { ...ask, headers: { 'If-None-Match': headers.ETag ?? '' } }
  if (isWalked) return afterThis(ask, text)
  return isDeep ? onPage(ask, deepest(text)) : ask
}

async function costOf(row: Row, ask: CallOptions): Promise<Cost> {
  const { result, used } = await service.measure(() => successOf(row, ask))
  return { ...used, bytes: Buffer.byteLength(result.text) }
}

it('reads posts at the same cost with 500 categories as with 20', async () => {
  const few = await costs()
  await createCategories(CATEGORIES, MANY)
  expect(await costs()).toEqual(few)
})

it(`stays within the budgets of test/bench/budgets.json${OF_LARGE_SITE}`, async () => {
  const repeated = await countRepeated(rowsOf(REPEATED))
  const named = new Map([...repeated].map(([name, cost]) => [`${name}${OF_LARGE_SITE}`, cost]))
  expect(Object.keys(budgets).filter(isOfLargeSite).sort()).toEqual([...named.keys()].sort())
  expect(
    exceeded(named),
    'Find the new read. If it is meant, raise the budget in test/bench/budgets.json.',
  ).toEqual([])
})
