// What an anonymous client or a fresh user can set off: no endpoint costs far more than the others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useTable } from '../world/new-table.ts'
import { countDearest, type Dearest, medianOf } from './count-dearest.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { createTargets } from './measure.ts'
import { openSite } from './site.ts'

const MOST = 10
/** One that sends and receives n times as much may cost n times as much: units are counted by the kB. */
const KB_OF_ONE = 16
const WITHIN_MS = 600_000

const world = useTable()
let service: CountedService
let costs: Map<string, Dearest>
beforeAll(async () => {
  const site = openSite({ count: 400, seed: 1 })
  await loadSite(world.table, site)
  service = openCountedService(world)
  costs = await countDearest(service, site, await createTargets(service.table, site, service.nowSeconds))
}, WITHIN_MS)
afterAll(() => service.stop())

/** Those above ten times the median. */
function above(of: (cost: Dearest) => number, timesOf: (cost: Dearest) => number = () => 1): string[] {
  const most = MOST * medianOf([...costs.values()].map(of))
  return [...costs]
    .filter(([, cost]) => of(cost) > most * timesOf(cost))
    .map(([name, cost]) => `${name}: ${of(cost)}, at most ${most * timesOf(cost)}`)
}

describe('the dearest request of each endpoint that needs no admin', () => {
  it('makes at most ten times as many calls as the median', () => {
    expect(above(({ calls }) => calls)).toEqual([])
  })

  it('costs at most ten times as many units as the median, or in proportion to its bytes', () => {
    const price = above(
      ({ price }) => price,
      ({ kB }) => Math.max(1, kB / KB_OF_ONE),
    )
    expect(price).toEqual([])
  })
})
