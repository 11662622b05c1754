// Counted lists under concurrency: a write between two steps of a reader or writer, and concurrent writers.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  fixedList,
  type List,
  type ListEntry,
  listPage,
  planListChanges,
  rebalance,
} from '../../shared/lists/counted-list.ts'
import { rootSchema } from '../../shared/lists/list.ts'
import type { UnbalancedNode } from '../../shared/lists/rebalance.ts'
import { entryKey } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { change, expectExact, interruptAt, keyOf, newEntries, newEntry, ordersOf } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
const item = z.object({ name: z.string() })

const world = useTable(SMALL)

function interrupt(name: string, write: () => Promise<unknown>) {
  interruptAt(world.client, [name], 1, write)
}

function add(entries: ListEntry[]) {
  return change(world.table, [], entries)
}

function remove(entries: ListEntry[]) {
  return change(world.table, entries, [])
}

function read(list: List, page: number, perPage: number) {
  return listPage(world.table, { list, page, perPage }, item)
}

describe('a reader of a counted list', () => {
  it('reads again if its inner node is split after it read the root', async () => {
    const list = fixedList('split-while-read', 'ascending')
    await add(newEntries(list, 100, 16))
    interrupt('GetItem', () => add(newEntries(list, 0, 60)))
    const { items, total } = await read(list, 2, 8)
    expect(total).toBe(76)
    expect(items.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, n) => keyOf(8 + n)))
  })

  it('reads again if its inner node is merged away after it read the root', async () => {
    const list = fixedList('merged-while-read', 'descending')
    await add(newEntries(list, 0, 60))
    interrupt('GetItem', () => remove(newEntries(list, 5, 50)))
    expect(await read(list, 5, 6)).toEqual({ items: [], total: 10 })
  })

  it('continues after entries that are removed after it read the root', async () => {
    const list = fixedList('left-while-read', 'ascending')
    await add(newEntries(list, 0, 60))
    const root = await world.table.find(list.root, rootSchema)
    const last = (root?.children[0]?.count ?? 0) - 1
    interrupt('GetItem', () => remove([newEntry(list, keyOf(last))]))
    const { items } = await read(list, last + 1, 1)
    expect(items).toEqual([{ name: keyOf(last + 1) }])
  })
})

describe('a writer of a counted list', () => {
  it('counts in the right inner node if its node is split after it read the root', async () => {
    const list = fixedList('split-while-planned', 'ascending')
    await add(newEntries(list, 0, 12))
    interrupt('BatchGetItem', () => add(newEntries(list, 50, 30)))
    await change(world.table, [newEntry(list, keyOf(1))], [newEntry(list, keyOf(100))])
    await expectExact(world.table, list)
    expect((await ordersOf(world.table, list)).length).toBe(42)
  })

  it('does not make another writer of the same nodes fail', async () => {
    const list = fixedList('side-by-side', 'ascending')
    await add(newEntries(list, 0, 2))
    const one = await planListChanges(world.table, [], [newEntry(list, 'a')])
    const other = await planListChanges(world.table, [], [newEntry(list, 'b')])
    await world.table.transact(one.actions)
    await world.table.transact(other.actions)
    await expectExact(world.table, list)
  })

  it('keeps counts exact when it moves an entry across the median while its range is split', async () => {
    const list = fixedList('moved-while-split', 'ascending')
    const plan = await planListChanges(world.table, [], newEntries(list, 0, 5))
    await world.table.transact(plan.actions)
    const moved: UnbalancedNode[] = []
    interrupt('Query', async () => {
      const { actions, unbalanced } = await planListChanges(
        world.table,
        [newEntry(list, keyOf(0))],
        [newEntry(list, keyOf(9))],
      )
      await world.table.transact(actions)
      moved.push(...unbalanced)
    })
    await rebalance(world.table, plan.unbalanced)
    await expectExact(world.table, list)
    // The split is left to the writer that it met.
    await rebalance(world.table, moved)
    expect((await expectExact(world.table, list)).ranges).toBe(2)
  })

  it('rebalances a node once for all writers of this process that came in the meantime', async () => {
    const list = fixedList('rebalanced-once', 'ascending')
    const plan = await planListChanges(world.table, [], newEntries(list, 0, 5))
    await world.table.transact(plan.actions)
    const run = () => rebalance(world.table, plan.unbalanced)
    const others: Promise<void>[] = []
    interrupt('Query', async () => {
      for (let n = 0; n < 5; n++) others.push(run())
    })
    let calls = 0
    const stop = world.client.around(next => {
      calls++
      return next()
    })
    await run()
    await Promise.all(others)
    stop()
    // The run reads two nodes and a range, and writes. Then it reads both nodes again for the other writes.
    expect(calls).toBeLessThanOrEqual(6)
    await run()
    expect((await expectExact(world.table, list)).ranges).toBe(2)
  })

  it('does not split a range whose entries it cannot all see yet', async () => {
    const list = fixedList('not-in-sight', 'ascending')
    const plan = await planListChanges(world.table, [], newEntries(list, 0, 5))
    await world.table.transact(plan.actions)
    const [late] = plan.actions
    if (!late || !('Put' in late)) throw new Error('an entry was expected to be put first')
    await world.table.removeMany([entryKey(list.name, keyOf(0))])
    await rebalance(world.table, plan.unbalanced)
    await world.table.write(late)
    expect((await expectExact(world.table, list)).ranges).toBe(1)
    await rebalance(world.table, plan.unbalanced)
    expect((await expectExact(world.table, list)).ranges).toBe(2)
  })
})

describe('many concurrent writers of a counted list', () => {
  it('leave exact counts, and readers see sorted pages all the while', async () => {
    const list = fixedList('crowd', 'descending')
    const writers = 8
    let isOver = false
    const writer = async (id: number) => {
      let mine: ListEntry[] = []
      for (let round = 0; round < 12; round++) {
        const kept = mine.filter((_, n) => (n + round) % 3 > 0)
        const added = Array.from({ length: round % 4 === 3 ? 12 : 1 }, (_, n) =>
          newEntry(list, `${keyOf((id * 37 + round * 61 + n * 13) % 1000)}-${id}-${round}-${n}`),
        )
        const next = round % 5 === 4 ? kept.slice(0, 2) : [...kept, ...added]
        await change(world.table, mine, next)
        mine = next
      }
      return mine
    }
    const reader = async () => {
      for (let n = 0; !isOver; n++) {
        const { items } = await read(list, 1 + (n % 6), 7)
        const names = items.map(({ name }) => name)
        expect(names).toEqual([...new Set(names)].sort().reverse())
      }
    }
    const reading = reader()
    const left = await Promise.all(Array.from({ length: writers }, (_, id) => writer(id)))
    isOver = true
    await reading
    const { innerNodes } = await expectExact(world.table, list)
    expect(innerNodes).toBeGreaterThan(1)
    const names = left.flat().map(({ order }) => order)
    expect(await ordersOf(world.table, list)).toEqual(names.sort())
  })

  it('create a list only once', async () => {
    const list = fixedList('begun', 'ascending')
    await Promise.all(Array.from({ length: 6 }, (_, n) => add([newEntry(list, keyOf(n))])))
    await expectExact(world.table, list)
    expect((await read(list, 1, 12)).total).toBe(6)
  })
})
