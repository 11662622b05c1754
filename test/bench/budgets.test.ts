// Every read and every change of a post stays within its budget, on a generated site of 2,000 posts.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createCategory } from '../../shared/categories/commands.ts'
import { useTable } from '../support/new-table.ts'
import type { Usage } from '../support/usage.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { countRepeated, countRow } from './count.ts'
import { countFollowed, countWrites } from './count-writes.ts'
import { openCountedService } from './counted-service.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { createTargets, type Row, rowsFor } from './rows.ts'
import { CATEGORIES, openSite } from './site.ts'

const MANY_CATEGORIES = 500
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
const Budget = z.object({ roundTrips: z.int(), readUnits: z.number(), writeUnits: z.number() })
const file = new URL('./budgets.json', import.meta.url)
/** By request: sequential round trips, units read and units written. */
const budgets = z.record(z.string(), Budget).parse(JSON.parse(readFileSync(file, 'utf8')))

const world = useTable()
const service = use(() => openCountedService(world))
const costs = new Map<string, Usage>()
let rows: Row[]
beforeAll(async () => {
  const site = openSite({ count: 2_000, seed: 1 })
  await loadSite(world.table, site)
  const targets = await createTargets(service, site)
  rows = rowsFor(targets)
  for (const row of rows) costs.set(row.name, await countRow(service, row))
  // test/cache counts all other reads that are repeated.
  for (const row of named(['GET /posts'])) {
    costs.set(`${row.name}, repeated`, await countRepeated(service, row))
  }
  const written = [
    ...(await countWrites(service, targets.token)),
    ...(await countFollowed(service, targets.token)),
  ]
  for (const [name, cost] of written) costs.set(name, cost)
})

function named(names: string[]): Row[] {
  return rows.filter(({ name }) => names.includes(name))
}

async function costsOf(names: string[]) {
  const counted: object[] = []
  for (const row of named(names)) counted.push({ name: row.name, ...(await countRow(service, row)) })
  return counted
}

/** A line for each cost that is above its budget. */
function exceeded(): string[] {
  return [...costs].flatMap(([name, cost]) =>
    (['roundTrips', 'readUnits', 'writeUnits'] as const).flatMap(what => {
      const most = budgets[name]?.[what] ?? 0
      return cost[what] > most ? [`${name}: ${what} ${cost[what]}, at most ${most}`] : []
    }),
  )
}

describe('test/bench/budgets.json', () => {
  it('has a budget for each measured request and for nothing else', () => {
    expect(Object.keys(budgets).sort()).toEqual([...costs.keys()].sort())
  })

  it('is not exceeded at 2,000 posts', () => {
    expect(
      exceeded(),
      'Find the new read or write. If it is meant, raise the budget in test/bench/budgets.json.',
    ).toEqual([])
  })
})

describe('a read of posts', () => {
  it('costs the same with 500 categories as with 20', async () => {
    const few = await costsOf(SHOWING)
    expect(few).toHaveLength(SHOWING.length)
    const work = unitOfWorkOn(world.table, LOADED_AT * 1000)
    for (let n = CATEGORIES; n < MANY_CATEGORIES; n++) {
      await createCategory(work, { name: `More ${n}`, slug: `more-${n}`, description: 'Words '.repeat(160) })
    }
    expect(await costsOf(SHOWING)).toEqual(few)
  })
})
