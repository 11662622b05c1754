// Lists that only former versions read: written while they have a root, and left out of every change without.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import type { List } from '../../shared/lists/counted-list.ts'
import { ABSENT_FOR_MS } from '../../shared/lists/retired.ts'
import { ENTRIES_END, listPartition } from '../../shared/table/design.ts'
import { useTable } from '../world/new-table.ts'
import {
  change,
  createEmpty,
  expectExact,
  fixedList,
  newEntries,
  newEntry,
  ordersOf,
  retiredList,
} from './list-world.ts'

const Stored = z.object({ item: z.unknown() })
const SMALL = { range: 4, node: 4 }
const world = useTable()
const current = fixedList('current', 'descending')

async function itemsOf(list: List): Promise<unknown[]> {
  const stored = await world.table.query({ pk: listPartition(list.name), to: ENTRIES_END }, Stored)
  return stored.map(({ item }) => item)
}

describe('a retired list', () => {
  it('stays exact while it has a root', async () => {
    const list = retiredList('kept')
    await createEmpty(world.table, list)
    const entries = newEntries(list, 0, 20)
    await change(world.table, [], entries, SMALL)
    await change(world.table, entries.slice(0, 5), [newEntry(list, '9999')], SMALL)
    await expectExact(world.table, list)
    expect(await ordersOf(world.table, list)).toHaveLength(16)
  })

  it('gets no entries without a root, and the other lists of the change do', async () => {
    const list = retiredList('absent')
    const [entry, other] = [newEntry(list, '0001'), newEntry(current, '0001')]
    await change(world.table, [], [entry, other])
    await change(world.table, [entry, other], [{ ...entry, item: { name: 'changed' } }, other])
    await change(world.table, [entry], [])
    expect(await ordersOf(world.table, list)).toEqual([])
    expect(await ordersOf(world.table, current)).toEqual(['0001'])
  })

  it('gets entries again if a former version creates it, from a minute on after it was absent', async () => {
    const list = retiredList('created')
    await change(world.table, [], [newEntry(list, '0001')])
    await createEmpty(world.table, list)
    await change(world.table, [], [newEntry(list, '0002')])
    expect(await ordersOf(world.table, list)).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ABSENT_FOR_MS })
    onTestFinished(() => void vi.useRealTimers())
    await change(world.table, [], [newEntry(list, '0003')])
    expect(await ordersOf(world.table, list)).toEqual(['0003'])
  })

  it('gets no changed entry when its root was removed after the entry was added', async () => {
    const list = retiredList('removed')
    await createEmpty(world.table, list)
    const entry = newEntry(list, '0001')
    await change(world.table, [], [entry])
    await world.table.removeMany([list.root])
    await change(world.table, [entry], [{ ...entry, item: { name: 'changed' } }])
    expect(await itemsOf(list)).toEqual([entry.item])
    await change(world.table, [], [newEntry(list, '0002')])
    expect(await itemsOf(list)).toEqual([entry.item])
  })
})
