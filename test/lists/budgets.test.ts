// The cost of counted lists with entries of 1 kB: sequential round trips and units of every operation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type ListEntry, listPage, planListChanges, rebalance } from '../../shared/lists/counted-list.ts'
import { LIST_SIZES } from '../../shared/table/client.ts'
import { timeOrder } from '../../shared/table/design.ts'
import { useTable } from '../world/new-table.ts'
import type { Usage } from '../world/usage.ts'
import { change, expectExact, fixedList } from './list-world.ts'

const list = fixedList('published', 'descending')
const COUNT = 1_500
const BULK = 90
/** An item just below 1 kB, with its keys and attribute names. */
const filler = 'x'.repeat(920)

function entry(n: number, name = ''): ListEntry {
  return {
    list,
    order: timeOrder(1_700_000_000 + n * 60, n),
    item: { name, filler },
  }
}

function entries(from: number, count: number) {
  return Array.from({ length: count }, (_, n) => entry(from + n))
}

const world = useTable()
beforeAll(async () => {
  for (let n = 0; n < COUNT; n += BULK) await change(world.table, [], entries(n, Math.min(BULK, COUNT - n)))
  await expectExact(world.table, list)
})

function page(page: number, perPage: number) {
  const { order: below } = entry(COUNT - 1)
  const query = { list, page, perPage, below, hidden: Promise.resolve([]) }
  return world.measure(() => listPage(world.table, query, z.unknown()))
}

const report: Record<string, Usage> = {}
function note(name: string, used: Usage): Usage {
  report[name] = used
  return used
}

afterAll(() => console.table(report))

describe('reading a counted list', () => {
  it('reads page 1 of 12 in one round trip, with 1 unit for the root and 3 for the entries', async () => {
    const { result, used } = await page(1, 12)
    expect(result.items.length).toBe(12)
    expect(note('page 1 of 12', used)).toMatchObject({ roundTrips: 1, readUnits: 4 })
  })

  it('reads page 1 of 100 in one round trip, with 1 unit for the root and 25 for the entries', async () => {
    const { used } = await page(1, 100)
    expect(note('page 1 of 100', used)).toMatchObject({ roundTrips: 1, readUnits: 26 })
  })

  it('reads any page of 12 in three round trips and at most 13 units', async () => {
    let most: Usage = { calls: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 }
    for (let n = 2; n <= COUNT / 12; n += 5) {
      const { result, used } = await page(n, 12)
      expect(result.items.length).toBe(12)
      expect(used.roundTrips).toBe(3)
      if (used.readUnits > most.readUnits) most = used
    }
    expect(note('any page of 12, at most', most).readUnits).toBeLessThanOrEqual(13)
  })

  it('reads any page of 100 in three round trips and at most 35 units', async () => {
    const { used } = await page(8, 100)
    expect(note('page 8 of 100', used).roundTrips).toBe(3)
    expect(used.readUnits).toBeLessThanOrEqual(35)
  })

  it('reads only the root for a page past the end', async () => {
    const { used } = await page(1_000, 12)
    expect(note('past the end', used)).toMatchObject({ calls: 1, roundTrips: 1, readUnits: 1 })
  })
})

describe('writing to a counted list', () => {
  const measured = async (name: string, before: ListEntry[], after: ListEntry[]) => {
    const { result, used } = await world.measure(() => planListChanges(world.table, before, after))
    note(`plan: ${name}`, used)
    const commit = await world.measure(() => world.table.transact(result.actions))
    note(`commit: ${name}`, commit.used)
    const rebalanced = await world.measure(() => rebalance(world.table, result.unbalanced, LIST_SIZES))
    note(`rebalance: ${name}`, rebalanced.used)
    return { plan: used, commit: commit.used, rebalanced: rebalanced.used }
  }

  it('reads no node to change an entry in place', async () => {
    const { plan, commit } = await measured('changed', [entry(700)], [entry(700, 'new')])
    expect(plan.calls).toBe(0)
    expect(commit.roundTrips).toBe(1)
    await change(world.table, [entry(700, 'new')], [entry(700)])
  })

  it('adds an entry with one round trip to plan, one to commit and none to rebalance', async () => {
    const { plan, commit, rebalanced } = await measured('added', [], [entryAfter(700, 1)])
    expect(plan).toMatchObject({ roundTrips: 1, readUnits: 2 })
    expect(commit).toMatchObject({ roundTrips: 1 })
    expect(commit.writeUnits).toBeLessThanOrEqual(6)
    expect(rebalanced.calls).toBe(0)
  })

  it('removes an entry at the cost of adding one', async () => {
    const { plan, commit, rebalanced } = await measured('removed', [entryAfter(700, 1)], [])
    expect(plan).toMatchObject({ roundTrips: 1, readUnits: 2 })
    expect(commit.writeUnits).toBeLessThanOrEqual(6)
    expect(rebalanced.calls).toBe(0)
  })

  it('plans a move inside a list in one round trip', async () => {
    const { plan, rebalanced } = await measured('moved', [entry(10)], [entryAfter(700, 2)])
    expect(plan).toMatchObject({ roundTrips: 1, readUnits: 2 })
    expect(rebalanced.calls).toBe(0)
  })

  it('plans a move to another inner node in two round trips, with a unit more', async () => {
    const { plan, rebalanced } = await measured('moved far', [entry(20)], [entryAfter(1_400, 2)])
    expect(plan).toMatchObject({ roundTrips: 2, readUnits: 3 })
    expect(rebalanced.calls).toBe(0)
  })

  it('splits a range that has grown too large in three round trips', async () => {
    for (let n = 3; ; n++) {
      const { rebalanced } = await measured('added to a full range', [], [entryAfter(300, n)])
      if (rebalanced.calls === 0) continue
      expect(rebalanced.roundTrips).toBe(3)
      break
    }
    await expectExact(world.table, list)
  })
})

/** An entry in the minute after the nth. */
function entryAfter(n: number, second: number): ListEntry {
  return {
    ...entry(n),
    order: timeOrder(1_700_000_000 + n * 60 + second, COUNT + n),
  }
}
