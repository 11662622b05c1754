// Reading counted lists: pages, totals, hidden entries, and the order of any script.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  type List,
  type ListEntry,
  listPage,
  rootAttributes,
  visibleCount,
} from '../../shared/lists/counted-list.ts'
import { timeOrder } from '../../shared/table/design.ts'
import { useTable } from '../world/new-table.ts'
import { change, expectExact, fixedList } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
const item = z.object({ name: z.string() })

const world = useTable()

function entriesOf(list: List, orders: string[]): ListEntry[] {
  return orders.map(order => ({ list, order, item: { name: order } }))
}

function fill(list: List, orders: string[]) {
  return change(world.table, [], entriesOf(list, orders), SMALL)
}

function timesOf(count: number) {
  return Array.from({ length: count }, (_, n) => timeOrder(1_700_000_000 + n, n + 1))
}

type PageOptions = { page?: number; perPage?: number; hidden?: string[]; below?: string }
async function read(list: List, { page = 1, perPage = 12, hidden = [], below }: PageOptions = {}) {
  const query = { list, page, perPage, below, hidden: Promise.resolve(hidden) }
  const { items, total } = await listPage(world.table, query, item)
  return { names: items.map(({ name }) => name), total }
}

describe('a page of a counted list', () => {
  it('is empty with a total of 0 for a list that never had an entry', async () => {
    expect(await read(fixedList('untouched', 'descending'))).toEqual({ names: [], total: 0 })
  })

  it('is empty with a total of 0 after all entries are removed', async () => {
    const list = fixedList('emptied', 'ascending')
    await fill(list, timesOf(30))
    await change(world.table, entriesOf(list, timesOf(30)), [], SMALL)
    expect(await read(list)).toEqual({ names: [], total: 0 })
    expect((await expectExact(world.table, list)).innerNodes).toBe(1)
  })

  it('is empty past the end and still has the total', async () => {
    const list = fixedList('past', 'descending')
    await fill(list, timesOf(30))
    expect(await read(list, { page: 4, perPage: 10 })).toEqual({ names: [], total: 30 })
    expect(await read(list, { page: 9_007_199_254_740, perPage: 100 })).toEqual({ names: [], total: 30 })
  })

  it('shows the newest first in a descending list, and the rest on the last page', async () => {
    const list = fixedList('descending', 'descending')
    const newest = timesOf(30).reverse()
    await fill(list, timesOf(30))
    expect(await read(list)).toEqual({ names: newest.slice(0, 12), total: 30 })
    expect(await read(list, { page: 3 })).toEqual({ names: newest.slice(24), total: 30 })
  })

  it('follows the order of UTF-8 bytes in every script, not the order of UTF-16', async () => {
    const list = fixedList('scripts', 'ascending')
    const sorted = ['Zebra', 'ape', 'éclair', 'ω', 'य', '日本', '\u{ffee}', '𐀀', '😀', '😀😀']
    await fill(list, [...sorted].sort())
    expect([...sorted].sort()).not.toEqual(sorted)
    expect((await read(list)).names).toEqual(sorted)
    for (const [n, name] of sorted.entries()) {
      expect((await read(list, { page: n + 1, perPage: 1 })).names).toEqual([name])
    }
    await expectExact(world.table, list)
  })

  it('shows the new state of an entry changed in place', async () => {
    const list = fixedList('changed', 'ascending')
    const [first, second] = entriesOf(list, ['a', 'b'])
    if (!first || !second) throw new Error('there are two entries')
    await change(world.table, [], [first, second], SMALL)
    await change(world.table, [first], [{ ...first, item: { name: 'new' } }], SMALL)
    expect(await read(list)).toEqual({ names: ['new', 'b'], total: 2 })
  })
})

describe('hidden entries of a counted list', () => {
  it('are neither shown nor counted at the newest end, with and without a bound', async () => {
    const list = fixedList('scheduled', 'descending')
    const times = timesOf(40)
    await fill(list, times)
    const hidden = times.slice(25)
    const newest = times.slice(0, 25).reverse()
    for (const below of [undefined, times[24]]) {
      for (const page of [1, 2, 3, 4]) {
        expect(await read(list, { page, perPage: 10, hidden, below })).toEqual({
          names: newest.slice((page - 1) * 10, page * 10),
          total: 25,
        })
      }
    }
  })

  it('do not shorten pages, and leave an exact total, wherever they are', async () => {
    const list = fixedList('titles', 'ascending')
    const orders = Array.from({ length: 40 }, (_, n) => String(n).padStart(3, '0'))
    await fill(list, orders)
    const hidden = orders.filter((_, n) => n < 6 || n % 3 === 0)
    const shown = orders.filter(order => !hidden.includes(order))
    for (const page of [1, 2, 3, 4, 5]) {
      expect(await read(list, { page, perPage: 6, hidden })).toEqual({
        names: shown.slice((page - 1) * 6, page * 6),
        total: shown.length,
      })
    }
  })

  it('may be all entries of the list', async () => {
    const list = fixedList('all-hidden', 'descending')
    await fill(list, timesOf(9))
    expect(await read(list, { perPage: 4, hidden: timesOf(9) })).toEqual({ names: [], total: 0 })
  })

  it('are subtracted from the count of a root alone', async () => {
    const list = fixedList('root-alone', 'descending')
    await fill(list, timesOf(30))
    const root = rootAttributes.parse((await world.table.findMany([list.root]))[0])
    expect(visibleCount(root, 0)).toBe(30)
    expect(visibleCount(root, 4)).toBe(26)
    expect(visibleCount(root, 31)).toBe(0)
  })
})
