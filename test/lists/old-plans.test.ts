// Plans that are older than a split or merge: each is applied if it still fits, else it fails, and counts
// stay right.
import { describe, expect, it } from 'vitest'
import { fixedList, type List, planListChanges } from '../../shared/lists/counted-list.ts'
import { innerNodeSchema, rootSchema, toStored } from '../../shared/lists/list.ts'
import { fillBefore, mergeInnerNode, splitInnerNode } from '../../shared/lists/rebalance.ts'
import { CONFLICT } from '../../shared/table/action.ts'
import { type ListSizes, openTable } from '../../shared/table/client.ts'
import { innerNodeKey } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { change, expectExact, keyOf, newEntries, newEntry } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
/** Sizes with which a root has a single inner node for long. */
const ROOMY = { range: 4, node: 40 }

const world = useTable(ROOMY)

/** The same table with other sizes. */
function tableWith(sizes: ListSizes) {
  return openTable(world.client, world.tableName, sizes)
}

async function innerNodesOf(list: List) {
  return (await world.table.find(list.root, rootSchema))?.children ?? []
}

async function rangesOf(list: List) {
  return ((await world.table.find(innerNodeKey(list.name, ''), innerNodeSchema))?.children ?? []).map(
    ({ from }) => from,
  )
}

describe('a plan for a counted list', () => {
  it('counts its entry in the right range if that range was split after the plan was made', async () => {
    const list = fixedList('split-before-commit', 'ascending')
    await change(world.table, [], newEntries(list, 0, 12))
    const { actions } = await planListChanges(world.table, [], [newEntry(list, 'a')])
    await change(world.table, [], newEntries(list, 50, 2))
    const before = (await rangesOf(list)).at(-1)
    await change(world.table, [], newEntries(list, 60, 2))
    expect((await rangesOf(list)).at(-1)).not.toBe(before)
    await world.table.transact(actions)
    await expectExact(world.table, list)
  })

  it('fails with CONFLICT if a later range was merged after the plan was made', async () => {
    const list = fixedList('merged-before-commit', 'ascending')
    await change(world.table, [], newEntries(list, 0, 40))
    const { actions } = await planListChanges(world.table, [], [newEntry(list, '0010a')])
    await change(world.table, newEntries(list, 28, 10), [])
    await expect(world.table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(world.table, list)
  })

  it.each([
    { what: 'a split moved its entry', orders: ['0050a'], sizes: ROOMY, reasons: [CONFLICT] },
    { what: 'a range of several entries was split', orders: ['a', 'b'], sizes: ROOMY, reasons: [CONFLICT] },
    { what: 'its inner node was split', orders: ['a'], sizes: SMALL, reasons: [CONFLICT, CONFLICT] },
  ])('fails with CONFLICT if $what after the plan was made', async ({ what, orders, sizes, reasons }) => {
    const list = fixedList(what, 'ascending')
    const table = tableWith(sizes)
    await change(table, [], [...newEntries(list, 0, 12), ...newEntries(list, 50, 2)])
    const entries = orders.map(order => newEntry(list, order))
    const { actions } = await planListChanges(table, [], entries)
    await change(table, [], newEntries(list, 60, 30))
    await expect(world.table.transact(actions)).rejects.toMatchObject({ reasons })
    await expectExact(world.table, list)
  })

  it('fails with CONFLICT if its range now ends just before its entry', async () => {
    const list = fixedList('boundary', 'ascending')
    const orders = ['b1', 'b2', 'm0', 'm1', 'p1', 'p2', 'p3', 'p4', 'r1', 'r2', 't1', 't2']
    const all = orders.map(order => newEntry(list, order))
    const { actions } = await planListChanges(tableWith({ range: 100, node: 40 }), [], all)
    await world.table.transact(actions)
    const ranges = [
      { from: '', count: 4 },
      { from: 'p', count: 4 },
      { from: 'r', count: 2 },
      { from: 't', count: 2 },
    ]
    const node = { ...toStored(ranges), shape_version: 2, until: '', writes: 1 }
    await world.table.write({ Put: { Item: { ...innerNodeKey(list.name, ''), ...node } } })
    const old = await planListChanges(world.table, [], [newEntry(list, 'm')])
    // The first range is split and the last two are merged, so the index of its range, counted from the end,
    // is the same.
    await change(world.table, [newEntry(list, 'r1'), newEntry(list, 't1')], [newEntry(list, 'b3')])
    expect(await rangesOf(list)).toEqual(['', 'm', 'p', 'r'])
    await expect(world.table.transact(old.actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(world.table, list)
  })

  it('fails with CONFLICT for entries below two inner nodes if a node between them was split', async () => {
    const list = fixedList('between', 'ascending')
    for (let n = 0; n < 60; n += 20) await change(tableWith(SMALL), [], newEntries(list, n, 20))
    const [first, second, ...others] = await innerNodesOf(list)
    const [removed, added] = [newEntry(list, keyOf(59)), newEntry(list, '0000a')]
    const { actions } = await planListChanges(tableWith(SMALL), [removed], [added])
    const inSecond = Array.from({ length: 20 }, (_, n) => newEntry(list, `${second?.from}${keyOf(n)}`))
    await change(tableWith(SMALL), [], inSecond)
    const after = await innerNodesOf(list)
    expect(after.length).toBeGreaterThan(others.length + 2)
    expect([after[0]?.from, after.at(-1)?.from]).toEqual([first?.from, others.at(-1)?.from])
    await expect(world.table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(world.table, list)
  })

  it('fails with CONFLICT for a split if another inner node counted an entry since', async () => {
    const list = fixedList('counted-in-next-range', 'ascending')
    for (let n = 0; n < 60; n += 20) await change(tableWith(SMALL), [], newEntries(list, n, 20))
    const root = await world.table.find(list.root, rootSchema)
    const node = await world.table.find(innerNodeKey(list.name, ''), innerNodeSchema)
    if (!root || !node) throw new Error('The list has no nodes.')
    const split = splitInnerNode({ list, sizes: { range: 4, node: 2 }, root, from: '', node })
    await change(tableWith(SMALL), [], [newEntry(list, keyOf(99))])
    await expect(world.table.transact(split?.actions ?? [])).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(world.table, list)
  })

  it.each([
    { what: 'merged with', count: 1, sizes: { range: 4, node: 8 }, reshape: mergeInnerNode },
    { what: 'filled from', count: 5, sizes: { range: 4, node: 4 }, reshape: fillBefore },
  ])(
    'does not fit a node that was $what the next one, because its shape version is above both',
    async testCase => {
      const { what, count, sizes, reshape } = testCase
      const list = fixedList(what, 'ascending')
      const ranges = (start: string) =>
        Array.from({ length: count }, (_, n) => ({ from: `${start}${n || ''}`, count: 0 }))
      const left = { children: [{ from: '', count: 0 }], shapeVersion: 2, until: 'm', writes: 0 }
      const right = { children: ranges('m'), shapeVersion: 9, until: '', writes: 0 }
      const itemOf = (from: string, { children, shapeVersion, until, writes }: typeof left) => ({
        ...innerNodeKey(list.name, from),
        ...toStored(children),
        shape_version: shapeVersion,
        until,
        writes,
      })
      const root = { children: ['', 'm'].map(from => ({ from, count: 0 })), shapeVersion: 1 }
      await world.table.putMany([
        { ...list.root, ...toStored(root.children), shape_version: 1 },
        itemOf('', left),
        itemOf('m', right),
      ])
      const work = await reshape(world.table, { list, sizes, root, from: 'm', node: right })
      await world.table.transact(work?.actions ?? [])
      const current = await world.table.find(innerNodeKey(list.name, ''), innerNodeSchema)
      expect(current).toMatchObject({ shapeVersion: 10 })
      expect(current?.children.length).toBeGreaterThan(1)
    },
  )
})
