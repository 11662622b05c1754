// Reads before a plan: the inner node is guessed by what a function remembers of the root, which decides.
import { describe, expect, it } from 'vitest'
import { type List, planListChanges } from '../../shared/lists/counted-list.ts'
import { type NodeItems, readProbableNodes } from '../../shared/lists/read-nodes.ts'
import { CONFLICT } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { useTable } from '../world/new-table.ts'
import { change, expectExact, fixedList, newEntries, newEntry, ordersOf } from './list-world.ts'

const SMALL = { range: 4, node: 4 }

const world = useTable()

/** Another function, which remembers nothing of the first one. */
function otherFunction(): Table {
  return openTable(world.client, world.tableName)
}

/** Adds an entry by a function, and counts the reads of its plan. */
async function addBy(table: Table, list: List, order: string, ahead?: NodeItems) {
  const { result, used } = await world.measure(() =>
    planListChanges(table, [], [newEntry(list, order)], SMALL, ahead),
  )
  await world.table.transact(result.actions)
  return used
}

async function listOf(name: string, count: number): Promise<List> {
  const list = fixedList(name, 'ascending')
  for (let n = 0; n < count; n += 20) await change(world.table, [], newEntries(list, n, 20), SMALL)
  return list
}

describe('the plan of a change', () => {
  it('reads root and inner node in one round trip if the list has a single inner node', async () => {
    const list = await listOf('single', 0)
    await change(world.table, [], newEntries(list, 0, 3), SMALL)
    expect(await addBy(otherFunction(), list, 'a')).toMatchObject({ roundTrips: 1, readUnits: 2 })
    await expectExact(world.table, list)
  })

  it('needs a second round trip for a large list only the first time', async () => {
    const list = await listOf('large', 60)
    const table = otherFunction()
    expect(await addBy(table, list, 'a')).toMatchObject({ roundTrips: 2, readUnits: 3 })
    expect(await addBy(table, list, 'b')).toMatchObject({ roundTrips: 1, readUnits: 2 })
    await expectExact(world.table, list)
  })

  it('reads the right inner node in one more round trip after another function split it', async () => {
    const list = await listOf('split-elsewhere', 20)
    const table = otherFunction()
    await addBy(table, list, 'a')
    await change(otherFunction(), [], newEntries(list, 50, 40), SMALL)
    expect(await addBy(table, list, 'b')).toMatchObject({ calls: 2, roundTrips: 2 })
    expect(await addBy(table, list, 'c')).toMatchObject({ roundTrips: 1, readUnits: 2 })
    await expectExact(world.table, list)
  })

  it('reads the right inner node in one more round trip after another function merged it away', async () => {
    const list = await listOf('merged-elsewhere', 60)
    const table = otherFunction()
    await addBy(table, list, 'a')
    await change(otherFunction(), newEntries(list, 5, 55), [], SMALL)
    expect(await addBy(table, list, 'b')).toMatchObject({ roundTrips: 2 })
    await expectExact(world.table, list)
  })
})

describe('nodes that are read ahead of a plan', () => {
  it('are not read again, although the key of the entry was only guessed', async () => {
    const list = await listOf('ahead', 60)
    const table = otherFunction()
    await addBy(table, list, 'a')
    const ahead = await readProbableNodes(table, [{ list, order: 'z' }])
    expect(await addBy(table, list, 'b', ahead)).toMatchObject({ calls: 0 })
    await expectExact(world.table, list)
  })

  it('are completed if the entry is in another inner node', async () => {
    const list = await listOf('ahead-elsewhere', 60)
    const table = otherFunction()
    const ahead = await readProbableNodes(table, [{ list, order: 'z' }])
    expect(await addBy(table, list, '0059a', ahead)).toMatchObject({ roundTrips: 1, readUnits: 1 })
    await expectExact(world.table, list)
  })

  it('fail the commit with CONFLICT if a split made them outdated', async () => {
    const list = await listOf('ahead-outdated', 20)
    const table = otherFunction()
    await addBy(table, list, 'a')
    const ahead = await readProbableNodes(table, [{ list, order: 'z' }])
    await change(otherFunction(), [], newEntries(list, 50, 40), SMALL)
    await expect(addBy(table, list, 'b', ahead)).rejects.toMatchObject({
      reasons: expect.arrayContaining([CONFLICT]),
    })
    expect(await ordersOf(world.table, list)).not.toContain('b')
    await expectExact(world.table, list)
  })

  it('are read again if the inner node that their root names was split since', async () => {
    const list = await listOf('ahead-torn', 20)
    const table = otherFunction()
    await addBy(table, list, 'a')
    const ahead = await readProbableNodes(table, [{ list, order: '' }])
    await change(otherFunction(), [], newEntries(list, 50, 40), SMALL)
    expect(await addBy(table, list, 'b', ahead)).toMatchObject({ calls: 3 })
    await expectExact(world.table, list)
  })
})
