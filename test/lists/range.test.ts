// Entries with a common prefix, compared with a plain array: every page and total, even during writes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { compareOrder } from '../../shared/lists/children.ts'
import type { ListEntry } from '../../shared/lists/counted-list.ts'
import { listRange, type RangeQuery } from '../../shared/lists/range.ts'
import { openTable } from '../../shared/table/client.ts'
import { rootKey } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { checkRandom } from '../support/property.ts'
import { change, expectExact, interruptAt } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
const BULK = 30
const TIME_MS = 2_000
const item = z.object({ order: z.string() })

type AscendingList = RangeQuery['list']

const world = useTable(SMALL)
let lists = 0

function openList(): AscendingList {
  const name = `range-${++lists}`
  return { name, order: 'ascending', root: rootKey(name), fixed: true }
}

function entriesOf(list: AscendingList, orders: string[]): ListEntry[] {
  return orders.map(order => ({ list, order, item: { order } }))
}

/** Writes in bulks that stay below the 100 actions of a transaction. */
async function changeInBulks(
  list: AscendingList,
  { remove = [], add = [] }: { remove?: string[]; add?: string[] },
) {
  for (let n = 0; n < Math.max(remove.length, add.length); n += BULK) {
    const [removed, added] = [remove, add].map(all => entriesOf(list, all.slice(n, n + BULK)))
    await change(world.table, removed ?? [], added ?? [])
  }
}

async function read(list: AscendingList, prefix: string, page: number, perPage: number) {
  const { items, total } = await listRange(world.table, { list, prefix, page, perPage }, item)
  return { items: items.map(({ order }) => order), total }
}

/** UTF-8 and UTF-16 order these differently. */
const LETTERS = ['a', 'b', 'b0', 'é', '\u{ffee}', '😀', '𐀀']
function text(most: number) {
  return fc
    .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: most })
    .map(letters => letters.join(''))
}

const history = fc.record({
  add: fc.array(text(4), { maxLength: 90 }),
  removeEvery: fc.integer({ min: 2, max: 9 }),
  prefixes: fc.array(text(3), { minLength: 1, maxLength: 6 }),
  perPage: fc.integer({ min: 1, max: 12 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

async function expectPages(list: AscendingList, all: string[], prefix: string, perPage: number) {
  const wanted = all.filter(order => order.startsWith(prefix)).sort(compareOrder)
  const pages = Math.ceil(wanted.length / perPage) + 1
  const answers = await Promise.all(
    Array.from({ length: pages }, (_, n) => read(list, prefix, n + 1, perPage)),
  )
  expect(answers).toEqual(
    answers.map((_, n) => ({ items: wanted.slice(n * perPage, (n + 1) * perPage), total: wanted.length })),
  )
}

describe('the entries with a common prefix', () => {
  it('equal the same part of a plain array', async () => {
    const check = async ({ add, removeEvery, prefixes, perPage }: History) => {
      const list = openList()
      const orders = [...new Set(add)]
      const remove = orders.filter((_, n) => n % removeEvery === 0)
      const left = orders.filter((_, n) => n % removeEvery !== 0)
      await changeInBulks(list, { add: orders })
      await changeInBulks(list, { remove })
      const beginnings = ['', ...prefixes, ...left.slice(0, 2).flatMap(order => [order, `${order}a`])]
      for (const prefix of new Set(beginnings)) await expectPages(list, left, prefix, perPage)
    }
    await checkRandom(history, check, TIME_MS)
  })

  it('are empty in a list that was never written', async () => {
    expect(await read(openList(), 'a', 1, 12)).toEqual({ items: [], total: 0 })
  })
})

function keys(beginning: string, count: number) {
  return Array.from({ length: count }, (_, n) => `${beginning}${String(n).padStart(3, '0')}`)
}

const READS = ['GetItem', 'BatchGetItem', 'Query']

describe('a reader of entries with a common prefix', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'returns the right page if other entries change after its request %d',
    async nth => {
      const list = openList()
      const [before, inside, later] = [keys('a', 30), keys('m', 40), keys('z', 30)]
      await changeInBulks(list, { add: [...before, ...inside, ...later] })
      const stopInterrupting = interruptAt(world.client, READS, nth, () =>
        changeInBulks(list, { remove: before.slice(0, 20), add: [...keys('b', 20), ...keys('y', 20)] }),
      )
      const answer = await read(list, 'm', 3, 12).finally(stopInterrupting)
      expect(answer).toEqual({ items: inside.slice(24, 36), total: 40 })
      await expectExact(world.table, list)
    },
  )

  it.each([1, 2, 3, 4])(
    'counts each remaining entry once if nodes split and merge after its request %d',
    async nth => {
      const list = openList()
      const [lasting, temporary] = [keys('m', 20), keys('m0', 60)]
      await changeInBulks(list, { add: lasting })
      for (const step of [{ add: temporary }, { remove: temporary }]) {
        const stopInterrupting = interruptAt(world.client, READS, nth, () => changeInBulks(list, step))
        const { total } = await read(list, 'm', 2, 10).finally(stopInterrupting)
        expect(total).toBeGreaterThanOrEqual(20)
        expect(total).toBeLessThanOrEqual(80)
      }
      expect(await read(list, 'm', 2, 10)).toEqual({ items: lasting.slice(10), total: 20 })
    },
  )
})

describe('a page of entries with a common prefix', () => {
  it('costs the same as any other page, and one round trip for a short list', async () => {
    const list = openList()
    const all = keys('m', 900)
    const large = openTable(world.client, world.tableName)
    for (let n = 0; n < all.length; n += 90) await change(large, [], entriesOf(list, all.slice(n, n + 90)))
    const used = async (prefix: string, page: number, perPage: number) =>
      (await world.measure(() => read(list, prefix, page, perPage))).used
    for (const page of [1, 2, 20, 60]) {
      const { roundTrips, readUnits } = await used('m', page, 12)
      expect(roundTrips).toBeLessThanOrEqual(5)
      expect(readUnits).toBeLessThanOrEqual(12)
    }
    expect(await used('m00', 1, 12)).toMatchObject({ roundTrips: 1, calls: 2 })
  })
})

it('a range is answered all the while a list is written', async () => {
  const list = openList()
  const orders = keys('a', 40)
  await changeInBulks(list, { add: orders })
  let isOver = false
  const write = async () => {
    for (let n = 0; n < 60; n++) await change(world.table, [], entriesOf(list, [`b${n}`]))
    isOver = true
  }
  const readAll = async () => {
    const expected = { items: orders.slice(12, 24), total: 40 }
    while (!isOver) expect(await read(list, 'a', 2, 12)).toEqual(expected)
  }
  await Promise.all([write(), readAll()])
})
