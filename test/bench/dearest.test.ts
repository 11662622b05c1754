// What an anonymous client or a fresh user can set off: no endpoint costs far more than the others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useTable } from '../world/new-table.ts'
import { countDearest, type Dearest } from './count-dearest.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { createTargets } from './measure.ts'
import { medianOf } from './median.ts'
import { openSite } from './site.ts'

const MOST = 10
/** An answer of a MB or more may cost in addition what reading its bytes does: a unit for 4 kB. */
const LARGE_KB = 1_024
const KB_A_UNIT = 4

const world = useTable()
let service: CountedService
let costs: Map<string, Dearest>
beforeAll(async () => {
  const site = openSite({ count: 400, seed: 1 })
  await loadSite(world.table, site)
  service = openCountedService(world)
  costs = await countDearest(service, site, await createTargets(service.table, site, service.nowSeconds))
})
afterAll(() => service.stop())

/** Those above ten times the median. */
function above(of: (cost: Dearest) => number, excused: (cost: Dearest) => number = () => 0): string[] {
  const most = MOST * medianOf([...costs.values()].map(of))
  return [...costs]
    .filter(([, cost]) => of(cost) > most + excused(cost))
    .map(([name, cost]) => `${name}: ${of(cost)}, at most ${most + excused(cost)}`)
}

describe('the dearest request of each endpoint that needs no admin', () => {
  it('makes at most ten times as many calls as the median', () => {
    expect(above(({ calls }) => calls)).toEqual([])
  })

  it('costs at most ten times as many units as the median, apart from reading an answer of megabytes', () => {
    const price = above(
      ({ price }) => price,
      ({ kB }) => (kB < LARGE_KB ? 0 : kB / KB_A_UNIT),
    )
    expect(price).toEqual([])
  })
})
