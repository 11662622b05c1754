// Splits and merges the nodes that a change left too large or too small, after its commit.
import * as z from 'zod/mini'
import { CONFLICT, ConditionFailed } from '../table/action.ts'
import type { ListSizes, Table } from '../table/client.ts'
import { withDeadline } from '../table/deadline.ts'
import { ENTRIES_END, entryKey, innerNodeKey } from '../table/design.ts'
import { isBusy } from '../table/retrying.ts'
import { isWithin } from './children.ts'
import type { UnbalancedNode } from './counts.ts'
import { fillBefore, mergeInnerNode, type Nodes, type Reshape, splitInnerNode } from './inner-nodes.ts'
import { innerNodeSchema, type List, rootSchema } from './list.ts'
import { reshapeInnerNode } from './nodes.ts'
import { haveOddRanges, joined, sizesBelow, splitRanges } from './shape.ts'

/** Enough for a bulk write: its ranges, its inner nodes, and a chain of neighbours to merge. */
const ROUNDS = 8
const DEADLINE_MS = 100
const keyOnly = z.object({ sk: z.string() })

/**
 * Splits and merges the nodes that `planListChanges` named. On a conflict it leaves the work to the write
 * that it met, or to one of the list's next ones: an oversized range only costs a little more to read.
 */
export async function rebalance(
  table: Table,
  unbalanced: UnbalancedNode[],
  sizes: ListSizes = table.listSizes,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  if (unbalanced.length === 0) return
  const reshape = () =>
    Promise.all(unbalanced.map(({ list, from }) => rebalanceInnerNode(table, list, from, sizes)))
  await withDeadline(reshape, deadlineMs)
}

async function rebalanceInnerNode(table: Table, list: List, from: string, sizes: ListSizes): Promise<void> {
  let at: string | undefined = from
  try {
    for (let round = 0; at !== undefined && round < ROUNDS; round++) {
      at = await rebalanceOnce(table, list, at, sizes)
    }
  } catch (error) {
    if (!(error instanceof ConditionFailed) && !isBusy(error)) throw error
  }
}

async function rebalanceOnce(table: Table, list: List, from: string, sizes: ListSizes) {
  const [root, node] = await Promise.all([
    table.find(list.root, rootSchema),
    table.find(innerNodeKey(list.name, from), innerNodeSchema),
  ])
  if (!root || !node) return undefined
  const nodes = { list, sizes: sizesBelow(root, sizes), root, from, node }
  const step =
    (await reshapeRanges(table, nodes)) ??
    (await fillBefore(table, nodes)) ??
    splitInnerNode(nodes) ??
    (await mergeInnerNode(table, nodes))
  if (!step) return undefined
  const [only, ...others] = step.actions
  await (others.length === 0 ? table.write(only) : table.transact(step.actions))
  return step.next
}

/** Splits and merges all ranges of an inner node in one write of the node. Entries do not move. */
async function reshapeRanges(table: Table, nodes: Nodes): Promise<Reshape | undefined> {
  const { list, sizes, from, node } = nodes
  if (!haveOddRanges(node.children, sizes)) return undefined
  const ordersOf = await Promise.all(
    node.children.map(async (range, n) => {
      if (range.count <= sizes.range) return undefined
      const orders = await ordersWithin(table, list, range.from, node.children[n + 1]?.from ?? node.until)
      if (orders.length !== range.count) throw new ConditionFailed([CONFLICT])
      return orders
    }),
  )
  const children = joined(splitRanges(node.children, ordersOf, sizes), sizes)
  const isDone = children.length <= sizes.node && children.length >= node.children.length
  return {
    actions: [reshapeInnerNode(list, from, node, { ...node, children, shapeVersion: node.shapeVersion + 1 })],
    next: isDone ? undefined : from,
  }
}

/** The order keys of the entries from `from` to before `until` ('' for the end). */
export async function ordersWithin(table: Table, list: List, from: string, until: string): Promise<string[]> {
  const { pk, sk } = entryKey(list.name, from)
  const to = until === '' ? ENTRIES_END : entryKey(list.name, until).sk
  const found = await table.query({ pk, from: sk, to, only: ['sk'] }, keyOnly)
  const prefix = entryKey(list.name, '').sk.length
  return found.map(({ sk }) => sk.slice(prefix)).filter(order => isWithin(order, from, until))
}
