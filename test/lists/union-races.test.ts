// The union of counted lists while they change: a write between two steps of a reader.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type List, listUnion } from '../../shared/lists/counted-list.ts'
import { useTable } from '../world/new-table.ts'
import { change, fixedList, interruptOnce, keyOf, newEntries, newEntry } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
const Named = z.object({ name: z.string() })
const world = useTable()

/** Two lists: one with the even keys below 60, one with the odd ones. */
async function openUnion(name: string): Promise<[List, List]> {
  const lists: [List, List] = [
    fixedList(`${name}-even`, 'descending'),
    fixedList(`${name}-odd`, 'descending'),
  ]
  for (const [n, list] of lists.entries()) {
    const orders = Array.from({ length: 30 }, (_, m) => keyOf(2 * m + n))
    await change(
      world.table,
      [],
      orders.map(order => newEntry(list, order)),
      SMALL,
    )
  }
  return lists
}

function interrupt(name: string, write: () => Promise<unknown>) {
  interruptOnce(world.client, name, write)
}

async function read(lists: List[], page: number, perPage: number) {
  const { items, ...rest } = await listUnion(world.table, { lists, page, perPage }, Named)
  return { ...rest, names: items.map(({ name }) => name) }
}

function keysDown(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => keyOf(from - n))
}

describe('a reader of the union of counted lists', () => {
  it('reads again if an inner node is split after it read the roots', async () => {
    const lists = await openUnion('split')
    interrupt('GetItem', () => change(world.table, [], newEntries(lists[0], 100, 60), SMALL))
    const { names, total } = await read(lists, 3, 8)
    expect(total).toBe(120)
    expect(names).toEqual(keysDown(159 - 16, 8))
  })

  it('reads again if an inner node is merged away after it read the roots', async () => {
    const lists = await openUnion('merged')
    const rest = Array.from({ length: 28 }, (_, n) => newEntry(lists[1], keyOf(2 * n + 1)))
    interrupt('GetItem', () => change(world.table, rest, [], SMALL))
    const { names, total } = await read(lists, 2, 16)
    expect(total).toBe(32)
    expect(names).toEqual(Array.from({ length: 16 }, (_, n) => keyOf(30 - 2 * n)))
  })

  it.each(['GetItem', 'Query'])('shows a whole page if entries are removed after %s', async command => {
    for (let page = 2; page <= 12; page++) {
      const lists = await openUnion(`removed-${command}-${page}`)
      const gone = [0, 1].flatMap(n => [58 - n, 40 - n, 22 - n].map(key => ({ key, list: lists[key % 2] })))
      interrupt(command, async () => {
        for (const { key, list } of gone) {
          if (list) await change(world.table, [newEntry(list, keyOf(key))], [], SMALL)
        }
      })
      const { names, last } = await read(lists, page, 4)
      expect(names).toHaveLength(4)
      expect(names).toEqual([...new Set(names)].sort().reverse())
      expect(last).toBe(names.at(-1))
    }
  })
})
