// The doctor and counted lists: every way in which nodes and entries can disagree is found, said and mended.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { examineList } from '../../infra/operator/doctor/list.ts'
import { emptyDirectory, type List } from '../../shared/lists/counted-list.ts'
import { rootSchema } from '../../shared/lists/list.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { entryKey, innerNodeKey, rootKey, sortable } from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'
import { change, expectExact, fixedList } from '../lists/list-world.ts'
import { newTable } from '../world/new-table.ts'
import type { TableWorld } from '../world/table.ts'

const SIZES = { range: 4, node: 4 }
const ENTRIES = 60
const Node = z.looseObject({
  pk: z.string(),
  sk: z.string(),
  froms: z.array(z.string()),
  counts: z.array(z.int()),
})
type Node = z.infer<typeof Node>

let world: TableWorld
let table: Table
beforeAll(async () => {
  world = await newTable()
  table = openTable(world.client, world.tableName, SIZES)
})
afterAll(() => world.stop())

function placesIn(list: List, ids: number[]) {
  return ids.map(id => ({ list, order: sortable(id), item: { id } }))
}

function numbers(from: number, until: number) {
  return Array.from({ length: until - from }, (_, n) => from + n)
}

let count = 0
let list: List
let froms: string[]
beforeEach(async () => {
  list = fixedList(`list-${++count}`, 'ascending')
  for (let n = 0; n < ENTRIES; n += 20) await change(table, [], placesIn(list, numbers(n, n + 20)), SIZES)
  froms = (await table.find(list.root, rootSchema))?.children.map(({ from }) => from) ?? []
})

function second() {
  return innerNodeKey(list.name, froms[1] ?? '')
}

function remove(key: Key) {
  return table.removeMany([key])
}

async function edit(key: Key, edited: (node: Node) => object) {
  const node = await table.find(key, Node)
  if (node) await table.write({ Put: { Item: { ...node, ...edited(node) } } })
}

/** The first child's count is kept last. */
function raised(counts: number[]) {
  return [...counts.slice(0, -1), (counts.at(-1) ?? 0) + 1]
}

const drifts: { what: string; says: RegExp; plant: () => Promise<unknown> }[] = [
  {
    what: 'a count in the root that is too high',
    says: /^has \d+ entries, but its root counts \d+ and the node below it \d+\.$/,
    plant: () => edit(list.root, ({ counts }) => ({ counts: raised(counts) })),
  },
  {
    what: 'a count in a node that is too high',
    says: /^has \d+ entries from "\d+" on, but its root counts \d+ and the node below it \d+\.$/,
    plant: () => edit(second(), ({ counts }) => ({ counts: raised(counts) })),
  },
  {
    what: 'counts of two ranges that only agree as a sum',
    says: /^has (\d+) entries from "\d+" on, but its root counts \1 and the node below it \1\.$/,
    plant: () =>
      edit(second(), ({ counts }) => ({ counts: raised(counts).map((c, n) => (n === 1 ? c - 1 : c)) })),
  },
  {
    what: 'an entry that nothing counts',
    says: /entries from "\d+" on, but its root counts/,
    plant: () => table.write({ Put: { Item: { ...entryKey(list.name, sortable(1_000)), item: {} } } }),
  },
  {
    what: 'an entry that is gone and still counted',
    says: /^has \d+ entries, but its root counts/,
    plant: () => remove(entryKey(list.name, sortable(0))),
  },
  {
    what: 'a node that is missing',
    says: /^its node from "\d+" on is missing, with \d+ entries below it\.$/,
    plant: () => remove(second()),
  },
  {
    what: 'a node that ends elsewhere than the next begins',
    says: /^its node from "\d+" on is out of order/,
    plant: () => edit(second(), () => ({ until: 'zzz' })),
  },
  {
    what: 'a node whose ranges are out of order',
    says: /^its node from "\d+" on is out of order/,
    plant: () => edit(second(), ({ froms }) => ({ froms: froms.toReversed() })),
  },
  {
    what: 'a node that the root does not name',
    says: /^has a node from "5x" on that its root does not name\.$/,
    plant: async () => {
      const node = await table.find(second(), Node)
      await table.write({ Put: { Item: { ...node, ...innerNodeKey(list.name, '5x') } } })
    },
  },
  {
    what: 'a root that is missing',
    says: /^has no root, and 60 entries\.$/,
    plant: () => remove(list.root),
  },
  {
    what: 'a root that is out of order',
    says: /^has a root that is out of order, and 60 entries\.$/,
    plant: () => edit(list.root, ({ froms }) => ({ froms: froms.toReversed() })),
  },
  {
    what: 'nodes of which none is left',
    says: /^its node.* is missing/,
    plant: () => table.removeMany([list.root, ...froms.map(from => innerNodeKey(list.name, from))].slice(1)),
  },
]

describe('a counted list', () => {
  it('in which all is right gives the doctor nothing to say', async () => {
    expect(froms.length).toBeGreaterThan(2)
    expect(await examineList(table, list, false)).toEqual([])
    expect(await examineList(table, fixedList('never used', 'ascending'), false)).toEqual([])
  })

  it.each(drifts)('with $what is found, and mended so that all is right again', async ({ plant, says }) => {
    await plant()
    const found = await examineList(table, list, false)
    expect(found.map(({ where }) => where)).toContain(`list ${list.name}`)
    expect(found.map(({ says }) => says)).toContainEqual(expect.stringMatching(says))
    expect(found.every(({ isMended }) => !isMended)).toBe(true)

    const mended = await examineList(table, list, true)
    expect(mended.map(({ says }) => says)).toEqual(found.map(({ says }) => says))
    expect(mended.every(({ isMended }) => isMended)).toBe(true)
    expect(await examineList(table, list, true)).toEqual([])
    await expectExact(table, list)
    await change(table, [], placesIn(list, numbers(2_000, 2_020)), SIZES)
    await expectExact(table, list)
  })

  it('whose record is gone is cleared away', async () => {
    const ended: List = {
      ...fixedList(`ended-${list.name}`, 'ascending'),
      root: rootKey('a record'),
      fixed: false,
    }
    const { root, action } = emptyDirectory(ended)
    await table.transact([{ Put: { Item: { ...ended.root, ...root } } }, action])
    await change(table, [], placesIn(ended, numbers(0, 20)), SIZES)
    expect(await examineList(table, ended, true)).toEqual([])
    await remove(ended.root)
    expect((await examineList(table, ended, false)).map(({ says }) => says)).toEqual([
      'is gone with its record, but 20 entries are left. They may be on their way out.',
    ])
    await examineList(table, ended, true)
    expect(await examineList(table, ended, true)).toEqual([])
  })

  it('is mended while others write, and what they write is counted', async () => {
    await edit(list.root, ({ counts }) => ({ counts: raised(counts) }))
    await edit(second(), ({ counts }) => ({ counts: raised(counts) }))
    const writing = numbers(100, 112).map(id => change(table, [], placesIn(list, [id]), SIZES))
    const [mended] = await Promise.all([examineList(table, list, true), ...writing])
    expect(mended.length).toBeGreaterThan(0)
    expect(await examineList(table, list, false)).toEqual([])
    await expectExact(table, list)
  })

  it('on which others write gives no false alarm', async () => {
    const ids = numbers(100, 120)
    const writing = (async () => {
      for (const id of ids) await change(table, [], placesIn(list, [id]), SIZES)
      for (const id of ids) await change(table, placesIn(list, [id]), [], SIZES)
    })()
    const found = []
    for (let n = 0; n < 5; n++) found.push(...(await examineList(table, list, false)))
    await writing
    expect(found).toEqual([])
  })
})
