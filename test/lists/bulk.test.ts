// Bulk writes of counted lists: nodes are read once and split later, while others may write, too.
import { describe, expect, it } from 'vitest'
import {
  type BulkLists,
  type ListEntry,
  openBulkLists,
  writeWithLists,
} from '../../shared/lists/counted-list.ts'
import type { Table } from '../../shared/table/client.ts'
import { retryOnConflict } from '../../shared/table/retry-on-conflict.ts'
import { useTable } from '../world/new-table.ts'
import { change, expectExact, fixedList, keyOf, newEntries, newEntry, ordersOf } from './list-world.ts'

const SMALL = { range: 4, node: 4 }

const world = useTable()

/** Adds the entries in one transaction. Returns the number of attempts. */
async function add(table: typeof world.table, lists: BulkLists, entries: ListEntry[]): Promise<number> {
  let attempts = 0
  await retryOnConflict(async () => {
    attempts++
    try {
      await writeWithLists(table, await lists.add(entries), actions => table.transact(actions))
      lists.added(entries)
    } catch (error) {
      lists.forget()
      throw error
    }
  })
  return attempts
}

describe('a bulk write of counted lists', () => {
  it('leaves full ranges, also if its entries come in no order', async () => {
    const list = fixedList('bulk', 'descending')
    const table = { ...world.table, listSizes: SMALL }
    const lists = openBulkLists(table)
    for (let window = 0; window < 3; window++) {
      for (const rest of [2, 0, 3, 1]) {
        const orders = Array.from({ length: 8 }, (_, n) => 32 * window + 4 * n + rest)
        await add(
          table,
          lists,
          orders.map(order => newEntry(list, keyOf(order))),
        )
      }
      await lists.settle()
    }
    const { ranges, innerNodes } = await expectExact(world.table, list)
    expect(ranges).toBe(96 / SMALL.range)
    expect(innerNodes).toBeLessThanOrEqual(8)
  })

  it('reads the nodes of its lists once', async () => {
    const list = fixedList('bulk-reads', 'ascending')
    await change(world.table, [], newEntries(list, 0, 60), SMALL)
    const lists = openBulkLists(world.table)
    await add(world.table, lists, [newEntry(list, 'a')])
    const { used } = await world.measure(() => add(world.table, lists, [newEntry(list, 'b')]))
    expect(used.calls).toBe(1)
    await expectExact(world.table, list)
  })

  it('starts again when another writer split the nodes that it remembers', async () => {
    const list = fixedList('bulk-races', 'ascending')
    await change(world.table, [], newEntries(list, 0, 12), SMALL)
    const lists = openBulkLists(world.table)
    expect(await add(world.table, lists, newEntries(list, 20, 2))).toBe(1)
    await change(world.table, [], newEntries(list, 40, 12), SMALL)
    expect(await add(world.table, lists, newEntries(list, 30, 2))).toBe(2)
    await lists.settle()
    expect(await ordersOf(world.table, list)).toHaveLength(28)
    await expectExact(world.table, list)
  })

  it('splits its ranges also when another writer splits a node between its two reads', async () => {
    const [split, whole] = [fixedList('bulk-split', 'ascending'), fixedList('bulk-whole', 'ascending')]
    await change(world.table, [], newEntries(split, 0, 60), SMALL)
    let between = async () => {}
    const table: Table = {
      ...world.table,
      listSizes: SMALL,
      findMany: async keys => {
        const found = await world.table.findMany(keys)
        await between()
        return found
      },
    }
    const lists = openBulkLists(table)
    await add(table, lists, [...newEntries(split, 60, 2), ...newEntries(whole, 0, 30)])
    await change(world.table, [], newEntries(split, 62, 24), SMALL)
    const among = Array.from({ length: 24 }, (_, n) => newEntry(split, `${keyOf(60)}-${keyOf(n)}`))
    between = async () => {
      between = async () => {}
      await change(world.table, [], among, SMALL)
    }
    await lists.settle()
    expect(await expectExact(world.table, whole)).toMatchObject({ ranges: 8 })
    await expectExact(world.table, split)
  })

  it('stays exact without its last splits, which the next change of the list makes', async () => {
    const list = fixedList('bulk-killed', 'ascending')
    const table = { ...world.table, listSizes: SMALL }
    await add(table, openBulkLists(table), newEntries(list, 0, 30))
    expect(await expectExact(world.table, list)).toEqual({ innerNodes: 1, ranges: 1 })
    await change(world.table, [], [newEntry(list, 'z')], SMALL)
    expect((await expectExact(world.table, list)).ranges).toBe(8)
  })
})
