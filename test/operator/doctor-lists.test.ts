// The doctor on counted lists: every difference between nodes and entries is reported and repaired.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { checkList } from '../../infra/operator/doctor/check-list.ts'
import { fixedList, type List, planListChanges } from '../../shared/lists/counted-list.ts'
import { innerNodeSchema, rootSchema } from '../../shared/lists/list.ts'
import { CONFLICT, setMembers } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { entryKey, innerNodeKey, type Key, sortable } from '../../shared/table/design.ts'
import { change, expectExact, newEntries, newEntry } from '../lists/list-world.ts'
import { useTable } from '../support/new-table.ts'

const SIZES = { range: 4, node: 4 }
const ENTRIES = 60
const Node = z.looseObject({
  pk: z.string(),
  sk: z.string(),
  starts: z.array(z.string()),
  counts: z.array(z.int()),
})
type Node = z.infer<typeof Node>

const world = useTable(SIZES)
let table: Table
beforeAll(() => {
  table = world.table
})

function entriesIn(list: List, ids: number[]) {
  return ids.map(id => ({ list, order: sortable(id), item: { id } }))
}

function numbers(from: number, until: number) {
  return Array.from({ length: until - from }, (_, n) => from + n)
}

let count = 0
let list: List
let starts: string[]
beforeEach(async () => {
  list = fixedList(`list-${++count}`, 'ascending')
  for (let n = 0; n < ENTRIES; n += 20) await change(table, [], entriesIn(list, numbers(n, n + 20)))
  starts = (await table.find(list.root, rootSchema))?.children.map(({ from }) => from) ?? []
})

function second() {
  return innerNodeKey(list.name, starts[1] ?? '')
}

function remove(key: Key) {
  return table.removeMany([key])
}

async function edit(key: Key, edited: (node: Node) => object) {
  const node = await table.find(key, Node)
  if (node) await table.write({ Put: { Item: { ...node, ...edited(node) } } })
}

/** Counts are stored with the first child last. */
function raised(counts: number[]) {
  return [...counts.slice(0, -1), (counts.at(-1) ?? 0) + 1]
}

const drifts: { name: string; message: RegExp; plant: () => Promise<unknown> }[] = [
  {
    name: 'a count in the root that is too high',
    message: /^has \d+ entries below its node, but its root counts \d+ and the node \d+\.$/,
    plant: () => edit(list.root, ({ counts }) => ({ counts: raised(counts) })),
  },
  {
    name: 'a count in a node that is too high',
    message: /^has \d+ entries below its node starting at "\d+", but its root counts \d+ and the node \d+\.$/,
    plant: () => edit(second(), ({ counts }) => ({ counts: raised(counts) })),
  },
  {
    name: 'counts of two ranges that only agree as a sum',
    message: /^has (\d+) entries below its node starting at "\d+", but its root counts \1 and the node \1\.$/,
    plant: () =>
      edit(second(), ({ counts }) => ({ counts: raised(counts).map((c, n) => (n === 1 ? c - 1 : c)) })),
  },
  {
    name: 'an entry that is not counted',
    message: /entries below its node starting at "\d+", but its root counts/,
    plant: () => table.write({ Put: { Item: { ...entryKey(list.name, sortable(1_000)), item: {} } } }),
  },
  {
    name: 'a deleted entry that is still counted',
    message: /^has \d+ entries below its node, but its root counts/,
    plant: () => remove(entryKey(list.name, sortable(0))),
  },
  {
    name: 'a node that is missing',
    message: /^its node starting at "\d+" is missing, with \d+ entries below it\.$/,
    plant: () => remove(second()),
  },
  {
    name: 'a node that does not end where the next starts',
    message: /^its node starting at "\d+" is out of order/,
    plant: () => edit(second(), () => ({ until: 'zzz' })),
  },
  {
    name: 'a node whose ranges are out of order',
    message: /^its node starting at "\d+" is out of order/,
    plant: () => edit(second(), ({ starts }) => ({ starts: starts.toReversed() })),
  },
  {
    name: 'a node that the root does not name',
    message: /^has a node starting at "5x" that its root does not name\.$/,
    plant: async () => {
      const node = await table.find(second(), Node)
      await table.write({ Put: { Item: { ...node, ...innerNodeKey(list.name, '5x') } } })
    },
  },
  {
    name: 'a root that is missing',
    message: /^has no root, and 60 entries\.$/,
    plant: () => remove(list.root),
  },
  {
    name: 'a root that is out of order',
    message: /^has a root that is out of order, and 60 entries\.$/,
    plant: () => edit(list.root, ({ starts }) => ({ starts: starts.toReversed() })),
  },
  {
    name: 'no nodes',
    message: /^its node.* is missing/,
    plant: () => table.removeMany([list.root, ...starts.map(from => innerNodeKey(list.name, from))].slice(1)),
  },
]

/** Were the new version counted on from the root's, it could equal the version in an old plan. */
function setShapeVersion({ root }: List, version: number) {
  return table.write({ Update: { Key: root, ...setMembers({ shape_version: version }) } })
}

describe('the check of a counted list', () => {
  it('reports nothing for an intact list', async () => {
    expect(starts.length).toBeGreaterThan(2)
    expect(await checkList(table, list, false)).toEqual([])
    expect(await checkList(table, fixedList('never used', 'ascending'), false)).toEqual([])
  })

  it.each(drifts)('reports and repairs $name', async ({ plant, message }) => {
    await plant()
    const problems = await checkList(table, list, false)
    expect(problems.map(({ subject }) => subject)).toContain(`list ${list.name}`)
    expect(problems.map(({ message }) => message)).toContainEqual(expect.stringMatching(message))
    expect(problems.every(({ isRepaired }) => !isRepaired)).toBe(true)

    const repaired = await checkList(table, list, true)
    expect(repaired.map(({ message }) => message)).toEqual(problems.map(({ message }) => message))
    expect(repaired.every(({ isRepaired }) => isRepaired)).toBe(true)
    expect(await checkList(table, list, true)).toEqual([])
    await expectExact(table, list)
    await change(table, [], entriesIn(list, numbers(2_000, 2_020)))
    await expectExact(table, list)
  })

  it('repairs counts during concurrent writes, which are counted as well', async () => {
    await edit(list.root, ({ counts }) => ({ counts: raised(counts) }))
    await edit(second(), ({ counts }) => ({ counts: raised(counts) }))
    const writing = numbers(100, 112).map(id => change(table, [], entriesIn(list, [id])))
    const [problems] = await Promise.all([checkList(table, list, true), ...writing])
    expect(problems.length).toBeGreaterThan(0)
    expect(await checkList(table, list, false)).toEqual([])
    await expectExact(table, list)
  })

  it('reports nothing during concurrent writes', async () => {
    const ids = numbers(100, 120)
    const writing = (async () => {
      for (const id of ids) await change(table, [], entriesIn(list, [id]))
      for (const id of ids) await change(table, entriesIn(list, [id]), [])
    })()
    const problems = []
    for (let n = 0; n < 5; n++) problems.push(...(await checkList(table, list, false)))
    await writing
    expect(problems).toEqual([])
  })

  it.each([0, 1, 2, 3, 4])(
    'lets a change of several entries fail that was planned before it rebuilt their node, %i versions later',
    async steps => {
      const list = fixedList(`steps-${steps}`, 'ascending')
      const table = openTable(world.client, world.tableName, { range: 4, node: 40 })
      const node = innerNodeKey(list.name, '')
      for (let n = 0; n < 20; n += 5) await change(table, [], newEntries(list, n, 5))
      const read = await table.find(node, innerNodeSchema)
      const entries = [newEntry(list, '0001a'), newEntry(list, '0010a')]
      const { actions } = await planListChanges(table, [], entries)
      await table.removeMany([node])
      await setShapeVersion(list, (read?.shapeVersion ?? 0) - steps)
      expect(await checkList(table, list, true)).toHaveLength(1)
      await expect(table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
      await expectExact(table, list)
    },
  )
})
