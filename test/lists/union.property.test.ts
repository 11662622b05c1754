// Compares the union of counted lists with a sorted array: every page, total and walk.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type List, listUnion, unionAfter } from '../../shared/lists/counted-list.ts'
import { slices } from '../../shared/table/concurrency.ts'
import { useTable } from '../world/new-table.ts'
import { checkRandom, LONGEST_MS } from '../world/property.ts'
import { change, fixedList, keyOf, newEntry } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
const BULK = 30
const TIME_MS = 1_500
const Named = z.object({ name: z.string() })

const site = fc.record({
  /** The list of each key, in runs, so that one list has many keys where another one has few or none. */
  runs: fc.array(fc.record({ list: fc.nat(2), length: fc.integer({ min: 1, max: 60 }) }), { maxLength: 8 }),
  removed: fc.array(fc.nat(300), { maxLength: 60 }),
  perPage: fc.integer({ min: 1, max: 20 }),
})
type Site = typeof site extends fc.Arbitrary<infer T> ? T : never

const world = useTable()
let unions = 0

async function build({ runs, removed }: Site) {
  const union = unions++
  const lists = [0, 1, 2].map(n => fixedList(`union-${union}-${n}`, 'descending'))
  const all = runs.flatMap(({ list, length }) => Array<number>(length).fill(list))
  const gone = new Set(removed)
  const entries = all.map((list, n) => newEntry(lists[list] as List, keyOf(n)))
  for (const part of slices(entries, BULK)) await change(world.table, [], part, SMALL)
  const rest = entries.filter((_, n) => gone.has(n))
  for (const part of slices(rest, BULK)) await change(world.table, part, [], SMALL)
  const orders = entries.filter((_, n) => !gone.has(n)).map(({ order }) => order)
  return { lists, orders: orders.sort().reverse() }
}

describe('the union of counted lists', () => {
  it(
    'equals a sorted array on every page and in every walk',
    async () => {
      const check = async (given: Site) => {
        const { lists, orders } = await build(given)
        const { perPage } = given
        const pages = Math.ceil(orders.length / perPage) + 1
        for (let page = 1; page <= pages; page++) {
          const { items, total, last, hasMore } = await listUnion(
            world.table,
            { lists, page, perPage },
            Named,
          )
          const expected = orders.slice((page - 1) * perPage, page * perPage)
          expect(items.map(({ name }) => name)).toEqual(expected)
          expect([total, last]).toEqual([orders.length, expected.at(-1)])
          if (hasMore !== undefined) expect(hasMore).toBe(page * perPage < orders.length)
          const after = last ?? keyOf(0)
          const walked = await unionAfter(world.table, { lists, after, count: perPage }, Named)
          const following = orders.filter(order => order < after)
          expect(walked.items.map(({ name }) => name)).toEqual(following.slice(0, perPage))
          expect(walked.hasMore).toBe(following.length > perPage)
        }
      }
      await checkRandom(site, check, TIME_MS)
    },
    LONGEST_MS,
  )
})
