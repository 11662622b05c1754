// Every read and every change of a post stays within its budget, on a generated site of 2,000 posts.
import { beforeAll, describe, expect, it } from 'vitest'
import { useTable } from '../world/new-table.ts'
import { use } from '../world/use.ts'
import { budgets, exceeded, isOfLargeSite } from './budgets.ts'
import { type Cost, countRow } from './count.ts'
import { countFollowed, countPolls, countWrites } from './count-writes.ts'
import { openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { createTargets, rowsFor } from './rows.ts'
import { openSite } from './site.ts'

/** So many posts are created, changed and deleted. */
const LIVES = 2

const world = useTable()
const service = use(async () => openCountedService(world))
const costs = new Map<string, Cost>()
beforeAll(async () => {
  const site = openSite({ count: 2_000, seed: 1 })
  await loadSite(world.table, site)
  const targets = await createTargets(service, site)
  for (const row of rowsFor(targets)) costs.set(row.name, await countRow(service, row))
  const written = [
    ...(await countWrites(service, targets.token, LIVES)),
    ...(await countFollowed(service, targets.token, 1)),
    ...(await countPolls(service, targets)),
  ]
  for (const [name, cost] of written) costs.set(name, cost)
})

describe('test/bench/budgets.json', () => {
  it('has a budget for each measured request and for nothing else', () => {
    const names = Object.keys(budgets).filter(name => !isOfLargeSite(name))
    expect(names.sort()).toEqual([...costs.keys()].sort())
  })

  it('is not exceeded at 2,000 posts', () => {
    expect(
      exceeded(costs),
      'Find the new read or write. If it is meant, raise the budget in test/bench/budgets.json.',
    ).toEqual([])
  })
})
