// What tests of counted lists share: changes as a store makes them, and a recount of everything kept.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { Refused, STALE } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import {
  type List,
  type Place,
  planMoves,
  SIZES,
  type Sizes,
  settle,
} from '../../shared/table/counted-list.ts'
import { ENTRIES_END, entryKey, listPartition, middleKey, rootKey } from '../../shared/table/design.ts'
import { compareOrder, entriesBelow, isWithin } from '../../shared/table/directory.ts'
import { middleSchema, rootSchema } from '../../shared/table/list.ts'

export const fixedList = (name: string, order: List['order']): List => ({
  name,
  order,
  root: rootKey(name),
  fixed: true,
})

/** An entry that shows the key it stands by, and some in a row. */
export const at = (list: List, order: string): Place => ({ list, order, item: { name: order } })
export const keyOf = (n: number) => String(n).padStart(4, '0')
export const some = (list: List, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => at(list, keyOf(from + n)))

/** No coincidence, however many write. */
const MOST_REFUSALS = 100

/** Plans, commits, plans again when others were faster, settles. How often it was refused. */
export const change = async (table: Table, before: Place[], after: Place[], sizes: Sizes = SIZES) => {
  for (let refused = 0; ; refused++) {
    const { actions, touched } = await planMoves(table, before, after, sizes)
    try {
      await table.transact(actions)
      await settle(table, touched, sizes)
      return refused
    } catch (error) {
      const isStale = error instanceof Refused && error.reasons.every(reason => reason === STALE)
      if (!isStale || refused === MOST_REFUSALS) throw error
    }
  }
}

const keyOnly = z.object({ sk: z.string() })

/** Every order key of a list, read straight from its partition. */
export const ordersOf = async (table: Table, list: List): Promise<string[]> => {
  const found = await table.query({ pk: listPartition(list.name), to: ENTRIES_END }, keyOnly)
  return found.map(({ sk }) => sk.slice(entryKey(list.name, '').sk.length))
}

/** Which ranges a middle node had at which structure. */
export type Seen = Map<string, string>

/**
 * Recounts a list: every count, separator and bound must be what its entries say. With `seen` kept from
 * call to call: no node ever comes back to a structure it had with other ranges, or an old plan would fit.
 */
export const expectExact = async (
  table: Table,
  list: List,
  seen: Seen = new Map(),
): Promise<{ middles: number; ranges: number }> => {
  const orders = await ordersOf(table, list)
  const root = await table.find(list.root, rootSchema)
  if (!root) {
    expect(orders).toEqual([])
    return { middles: 0, ranges: 0 }
  }
  expect(entriesBelow(root.children)).toBe(orders.length)
  expectSorted(
    root.children.map(({ from }) => from),
    '',
  )
  let ranges = 0
  for (const [n, { from, count }] of root.children.entries()) {
    const middle = await table.find(middleKey(list.name, from), middleSchema)
    if (!middle) throw new Error(`The middle node from ${JSON.stringify(from)} is missing`)
    expect(middle.until).toBe(root.children[n + 1]?.from ?? '')
    expect(entriesBelow(middle.children)).toBe(count)
    const shape = JSON.stringify([middle.until, middle.children.map(child => child.from)])
    const version = `${from} ${middle.structure}`
    expect(seen.get(version) ?? shape).toBe(shape)
    seen.set(version, shape)
    expectSorted(
      middle.children.map(child => child.from),
      from,
    )
    for (const [m, range] of middle.children.entries()) {
      const until = middle.children[m + 1]?.from ?? middle.until
      expect(range.count).toBe(orders.filter(order => isWithin(order, range.from, until)).length)
    }
    ranges += middle.children.length
  }
  const nodes = await table.query({ pk: listPartition(list.name), from: 'M#', to: 'M$' }, keyOnly)
  expect(nodes.length).toBe(root.children.length)
  return { middles: root.children.length, ranges }
}

const expectSorted = (froms: string[], first: string) => {
  expect(froms[0]).toBe(first)
  expect(froms).toEqual([...new Set(froms)].sort(compareOrder))
}
