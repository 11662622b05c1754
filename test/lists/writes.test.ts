// Writing counted lists: roots that are records, failing writes, and the number of actions of a change.
import { describe, expect, it } from 'vitest'
import {
  emptyListNodes,
  fixedList,
  type List,
  type ListEntry,
  planListChanges,
  rebalance,
} from '../../shared/lists/counted-list.ts'
import { CONFLICT } from '../../shared/table/action.ts'
import { categoryKey } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { change, expectExact, keyOf, newEntries, newEntry, ordersOf } from './list-world.ts'

const world = useTable({ range: 4, node: 4 })

function categoryList(id: number): List {
  return { name: `category-${id}`, order: 'descending', root: categoryKey(id), fixed: false }
}

async function createCategory(id: number) {
  const list = categoryList(id)
  const { root, action } = emptyListNodes(list)
  await world.table.transact([{ Put: { Item: { ...list.root, ...root } } }, action])
  return list
}

describe('a counted list whose root is a record', () => {
  it('accepts no entry if the record is deleted before a plan or between plan and commit', async () => {
    const list = await createCategory(1)
    const { actions } = await planListChanges(world.table, [], [newEntry(list, 'a')])
    await world.table.write({ Delete: { Key: list.root } })
    await expect(world.table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expect(planListChanges(world.table, [], [newEntry(list, 'a')])).rejects.toMatchObject({
      reasons: ['no-list:category-1'],
    })
    expect(await ordersOf(world.table, list)).toEqual([])
  })
})

describe('the number of actions of a list change', () => {
  const count = async (before: ListEntry[], after: ListEntry[]) =>
    (await planListChanges(world.table, before, after)).actions.length

  it('is 0 without a change, 1 for a changed entry, 3 for an added or removed one', async () => {
    const list = fixedList('counts', 'ascending')
    expect(await count([], [newEntry(list, 'a')])).toBe(3)
    await change(world.table, [], [newEntry(list, 'a')])
    expect(await count([newEntry(list, 'a')], [newEntry(list, 'a')])).toBe(0)
    expect(await count([newEntry(list, 'a')], [{ ...newEntry(list, 'a'), item: { name: 'new' } }])).toBe(1)
    expect(await count([newEntry(list, 'a')], [])).toBe(3)
    expect(await count([], [newEntry(list, 'b')])).toBe(3)
  })

  it('is 3 for a move below one inner node and 5 for a move to another', async () => {
    const list = fixedList('moves', 'ascending')
    await change(world.table, [], newEntries(list, 0, 60))
    expect(await count([newEntry(list, keyOf(0))], [newEntry(list, `${keyOf(0)}x`)])).toBe(3)
    expect(await count([newEntry(list, keyOf(0))], [newEntry(list, `${keyOf(4)}x`)])).toBe(3)
    expect(await count([newEntry(list, keyOf(0))], [newEntry(list, keyOf(99))])).toBe(5)
  })

  it('is 79 for the largest change of a post: 12 categories removed, 12 added, one list moved in, two edited', async () => {
    const lists = await Promise.all(Array.from({ length: 24 }, (_, n) => createCategory(100 + n)))
    const published = fixedList('published', 'descending')
    const admin = [fixedList('admin', 'descending'), fixedList('admin-drafts', 'descending')]
    await change(world.table, [], newEntries(published, 0, 60))
    const stays = admin.map(list => newEntry(list, 'x'))
    const before = [
      newEntry(published, keyOf(0)),
      ...stays,
      ...lists.slice(0, 12).map(list => newEntry(list, 'x')),
    ]
    await change(world.table, [newEntry(published, keyOf(0))], before)
    const edited = admin.map(list => ({ ...newEntry(list, 'x'), item: { name: 'edited' } }))
    const after = [
      newEntry(published, keyOf(99)),
      ...edited,
      ...lists.slice(12).map(list => newEntry(list, 'y')),
    ]

    const { result, used } = await world.measure(() => planListChanges(world.table, before, after))
    expect(result.actions.length).toBe(5 + 24 * 3 + 2)
    expect(used.roundTrips).toBe(2)
    await world.table.transact(result.actions)
    for (const list of [published, ...admin, ...lists]) await expectExact(world.table, list)
  })
})

describe('a bulk write of entries', () => {
  it('leaves nodes of the right size after one rebalance', async () => {
    const list = fixedList('bulk', 'ascending')
    await change(world.table, [], newEntries(list, 0, 96))
    const { innerNodes, ranges } = await expectExact(world.table, list)
    expect(ranges).toBe(24)
    expect(innerNodes).toBe(6)
  })
})

describe('the work after a change', () => {
  it('is none while ranges have room, and three round trips to split one', async () => {
    const list = fixedList('rebalanced', 'ascending')
    const costs: number[] = []
    for (let n = 0; n <= 4; n++) {
      const { actions, unbalanced } = await planListChanges(world.table, [], newEntries(list, n, 1))
      await world.table.transact(actions)
      costs.push((await world.measure(() => rebalance(world.table, unbalanced))).used.roundTrips)
    }
    expect(costs).toEqual([0, 0, 0, 0, 3])
  })
})
