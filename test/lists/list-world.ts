// Shared by the tests of counted lists: changes as a command commits them, and a recount of all nodes.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { compareOrder, entriesBelow, isWithin } from '../../shared/lists/children.ts'
import { type List, type ListEntry, planListChanges, rebalance } from '../../shared/lists/counted-list.ts'
import { innerNodeSchema, rootSchema } from '../../shared/lists/list.ts'
import { CONFLICT, ConditionFailed } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { ENTRIES_END, entryKey, innerNodeKey, listPartition } from '../../shared/table/design.ts'
import type { TableWorld } from '../support/table.ts'

/** An entry whose item is its order key. */
export function newEntry(list: List, order: string): ListEntry {
  return { list, order, item: { name: order } }
}

export function keyOf(n: number) {
  return String(n).padStart(4, '0')
}

/** `count` entries with consecutive order keys. */
export function newEntries(list: List, from: number, count: number) {
  return Array.from({ length: count }, (_, n) => newEntry(list, keyOf(from + n)))
}

/** More conflicts than many writers can cause. */
const MAX_CONFLICTS = 100

/** Plans, commits and rebalances, and starts again after a conflict. Returns the number of conflicts. */
export async function change(table: Table, before: ListEntry[], after: ListEntry[]) {
  for (let conflicts = 0; ; conflicts++) {
    const { actions, unbalanced } = await planListChanges(table, before, after)
    try {
      await table.transact(actions)
      await rebalance(table, unbalanced)
      return conflicts
    } catch (error) {
      const isConflict =
        error instanceof ConditionFailed && error.reasons.every(reason => reason === CONFLICT)
      if (!isConflict || conflicts === MAX_CONFLICTS) throw error
    }
  }
}

/** Runs a function once, between the nth call of these names and its caller's use of the answer. */
export function interruptAt(
  { around }: TableWorld['client'],
  names: string[],
  nth: number,
  write: () => Promise<unknown>,
) {
  let count = 0
  return around(async (next, operation) => {
    const result = await next()
    if (names.includes(operation) && ++count === nth) await write()
    return result
  })
}

const keyOnly = z.object({ sk: z.string() })

/** Every order key of a list, read from its partition. */
export async function ordersOf(table: Table, list: List): Promise<string[]> {
  const items = await table.query({ pk: listPartition(list.name), to: ENTRIES_END }, keyOnly)
  return items.map(({ sk }) => sk.slice(entryKey(list.name, '').sk.length))
}

/** The ranges that an inner node had at each shape version. */
export type ShapesByVersion = Map<string, string>

/**
 * Recounts a list: every count, separator and bound must agree with its entries. With the same `shapes` in
 * each call, also checks that no node reuses a shape version with other ranges, which an old plan would fit.
 */
export async function expectExact(
  table: Table,
  list: List,
  shapes: ShapesByVersion = new Map(),
): Promise<{ innerNodes: number; ranges: number }> {
  const orders = await ordersOf(table, list)
  const root = await table.find(list.root, rootSchema)
  if (!root) {
    expect(orders).toEqual([])
    return { innerNodes: 0, ranges: 0 }
  }
  expect(entriesBelow(root.children)).toBe(orders.length)
  expectSorted(
    root.children.map(({ from }) => from),
    '',
  )
  let ranges = 0
  for (const [n, { from, count }] of root.children.entries()) {
    const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
    if (!node) throw new Error(`The inner node from ${JSON.stringify(from)} is missing`)
    expect(node.until).toBe(root.children[n + 1]?.from ?? '')
    expect(entriesBelow(node.children)).toBe(count)
    const shape = JSON.stringify([node.until, node.children.map(child => child.from)])
    const version = `${from} ${node.shapeVersion}`
    expect(shapes.get(version) ?? shape).toBe(shape)
    shapes.set(version, shape)
    expectSorted(
      node.children.map(child => child.from),
      from,
    )
    for (const [m, range] of node.children.entries()) {
      const until = node.children[m + 1]?.from ?? node.until
      expect(range.count).toBe(orders.filter(order => isWithin(order, range.from, until)).length)
    }
    ranges += node.children.length
  }
  const nodes = await table.query({ pk: listPartition(list.name), from: 'NODE#', to: 'NODE$' }, keyOnly)
  expect(nodes.length).toBe(root.children.length)
  return { innerNodes: root.children.length, ranges }
}

function expectSorted(starts: string[], first: string) {
  expect(starts[0]).toBe(first)
  expect(starts).toEqual([...new Set(starts)].sort(compareOrder))
}
