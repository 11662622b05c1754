// Every read and every change of a post stays within its budget, on a generated site of 2,000 posts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useTable } from '../world/new-table.ts'
import { budgets, exceeded, isOfLargeSite } from './budgets.ts'
import type { Cost } from './count.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { measureSite } from './measure.ts'
import { openSite } from './site.ts'

const LIVES = 2

const world = useTable()
let service: CountedService
let costs: Map<string, Cost>
beforeAll(async () => {
  const site = openSite({ count: 2_000, seed: 1 })
  await loadSite(world.table, site)
  service = openCountedService(world)
  costs = await measureSite(service, site, LIVES)
})
afterAll(() => service.stop())

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
