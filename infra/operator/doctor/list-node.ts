// Checks one inner node of a counted list against the entries below it and against the root.

import { type Child, childAt, entriesBelow } from '../../../shared/lists/children.ts'
import { type List, rebalance } from '../../../shared/lists/counted-list.ts'
import type { InnerNode } from '../../../shared/lists/list.ts'
import { putInnerNode, reshapeInnerNode, reshapeRoot } from '../../../shared/lists/nodes.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { findNode, findRoot, isInOrder, subjectOf } from './list-read.ts'
import { newShapeVersion } from './list-repair.ts'
import type { Problem } from './problem.ts'

/**
 * Every write of an entry increments `writes` of its node. If that did not change, the entries and counts
 * that were read existed at one moment.
 */
export function checkNode(table: Table, list: List, from: string, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const node = await findNode(table, list, from)
    const root = await findRoot(table, list)
    const at = root?.children.findIndex(child => child.from === from) ?? -1
    const wasMerged = !root || at < 0
    if (wasMerged) return []
    const until = root.children[at + 1]?.from ?? ''
    const orders = await ordersWithin(table, list, from, until)
    if (hasChanged(node, await findNode(table, list, from))) throw new ConditionFailed([CONFLICT])

    const isShaped = node !== undefined && node.until === until && isInOrder(node.children, from)
    const children = isShaped ? recounted(node.children, orders) : [{ from, count: orders.length }]
    const inRoot = root.children[at]?.count ?? 0
    const isRight = isShaped && inRoot === orders.length && areEqual(children, node.children)
    if (isRight) return []

    if (repair) {
      const current = { children, until, shapeVersion: node ? node.shapeVersion + 1 : newShapeVersion() }
      await table.transact([
        reshapeRoot(
          list,
          root,
          root.children.map((child, n) => (n === at ? { from, count: orders.length } : child)),
        ),
        node ? reshapeInnerNode(list, from, node, current) : putInnerNode(list, from, current),
      ])
      await rebalance(table, [{ list, from }])
    }
    const inNode = node && entriesBelow(node.children)
    return [
      {
        subject: subjectOf(list),
        message: messageOf({ from, isShaped, count: orders.length, inRoot, inNode }),
        expected: orders.length,
        found: { root: inRoot, node: inNode ?? null },
        isRepaired: repair,
      },
    ]
  })
}

function hasChanged(before: InnerNode | undefined, after: InnerNode | undefined): boolean {
  return before?.shapeVersion !== after?.shapeVersion || before?.writes !== after?.writes
}

function recounted(ranges: Child[], orders: string[]): Child[] {
  const counts = new Map<number, number>()
  for (const order of orders) {
    const n = childAt(ranges, order)
    counts.set(n, (counts.get(n) ?? 0) + 1)
  }
  return ranges.map(({ from }, n) => ({ from, count: counts.get(n) ?? 0 }))
}

function areEqual(a: Child[], b: Child[]): boolean {
  return a.every(({ count }, n) => count === b[n]?.count)
}

/** `count` is the number of entries; `inRoot` and `inNode` are the counts that the root and the node have. */
type NodeCounts = {
  from: string
  isShaped: boolean
  count: number
  inRoot: number
  inNode: number | undefined
}

function messageOf({ from, isShaped, count, inRoot, inNode }: NodeCounts): string {
  const part = from === '' ? '' : ` starting at "${from}"`
  if (inNode === undefined) return `its node${part} is missing, with ${count} entries below it.`
  if (!isShaped) return `its node${part} is out of order, with ${count} entries below it.`
  return `has ${count} entries below its node${part}, but its root counts ${inRoot} and the node ${inNode}.`
}
