// Splits and merges the nodes that a change left too large or too small, after its commit.
import { CONFLICT, ConditionFailed, type WriteAction } from '../table/action.ts'
import { type ListSizes, perTable, type Table } from '../table/client.ts'
import { innerNodeKey } from '../table/design.ts'
import { isBusy, withDeadline } from '../table/retrying.ts'
import { type Child, entriesBelow } from './children.ts'
import { type InnerNode, innerNodeSchema, type List, type Root, rootSchema } from './list.ts'
import { putInnerNode, removeInnerNode, reshapeInnerNode, reshapeRoot } from './nodes.ts'
import { areSmall, haveOddRanges, joined, parts, roomBefore, sizesOf, splitRanges } from './shape.ts'
import { ordersWithin } from './walk.ts'

/** Enough for a change of many entries: its ranges, its inner nodes, and a chain of neighbours to merge. */
const ROUNDS = 8
const DEADLINE_MS = 100

/** An inner node that has ranges to split or merge after a change. */
export type UnbalancedNode = { list: List; from: string }
type Nodes = { list: List; sizes: ListSizes; root: Root; from: string; node: InnerNode }
/** One atomic step, and the inner node to check next. */
type Reshape = { actions: [WriteAction, ...WriteAction[]]; next?: string }

type LocatedNode = { from: string; node: InnerNode }

/**
 * Splits and merges the nodes that `planListChanges` named. On a conflict it leaves the work to the write
 * that it met, or to one of the list's next ones: an oversized range only costs a little more to read.
 */
export async function rebalance(table: Table, unbalanced: UnbalancedNode[]): Promise<void> {
  if (unbalanced.length === 0) return
  const reshape = () => Promise.all(unbalanced.map(({ list, from }) => rebalanceInnerNode(table, list, from)))
  await withDeadline(reshape, DEADLINE_MS)
}

/** The inner nodes that this process is rebalancing, and whether another write has asked for it since. */
const runningOf = perTable(() => new Map<string, boolean>())

/** A process rebalances a node once at a time. If other writes ask for it meanwhile, it starts again. */
async function rebalanceInnerNode(table: Table, list: List, from: string): Promise<void> {
  const [running, { pk, sk }] = [runningOf(table), innerNodeKey(list.name, from)]
  const name = pk + sk
  if (running.has(name)) {
    running.set(name, true)
    return
  }
  try {
    for (let run = 0; run === 0 || (running.get(name) && run < ROUNDS); run++) {
      running.set(name, false)
      await rebalanceFrom(table, list, from)
    }
  } finally {
    running.delete(name)
  }
}

async function rebalanceFrom(table: Table, list: List, from: string): Promise<void> {
  let at: string | undefined = from
  try {
    for (let round = 0; at !== undefined && round < ROUNDS; round++) {
      at = await rebalanceOnce(table, list, at)
    }
  } catch (error) {
    if (!(error instanceof ConditionFailed) && !isBusy(error)) throw error
  }
}

async function rebalanceOnce(table: Table, list: List, from: string) {
  const [root, node] = await Promise.all([
    table.find(list.root, rootSchema),
    table.find(innerNodeKey(list.name, from), innerNodeSchema),
  ])
  if (!root || !node) return undefined
  const nodes = { list, sizes: sizesOf(list, root.children.length, table.listSizes), root, from, node }
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
      const until = node.children[n + 1]?.from ?? node.until
      const orders = await ordersWithin(table, list, { from: range.from, until })
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

/** Splits an inner node with too many ranges into two, or into more after a change of many entries. */
export function splitInnerNode({ list, sizes, root, from, node }: Nodes): Reshape | undefined {
  if (node.children.length <= sizes.node) return undefined
  const halves = parts(node.children, sizes.node).map(children => ({ from: startOf(children), children }))
  const shapeVersion = node.shapeVersion + 1
  const rewrites = halves.map(({ from, children }, n) => {
    const current = { children, shapeVersion, until: halves[n + 1]?.from ?? node.until }
    return n === 0 ? reshapeInnerNode(list, from, node, current) : putInnerNode(list, from, current)
  })
  const halfChildren = halves.map(({ from, children }) => ({ from, count: entriesBelow(children) }))
  const children = root.children.flatMap(child => (child.from === from ? halfChildren : [child]))
  return { actions: [reshapeRoot(list, root, children), ...rewrites] }
}

/** Moves ranges of an overfull inner node into the node before it, if that has room. */
export async function fillBefore(table: Table, nodes: Nodes): Promise<Reshape | undefined> {
  const { list, sizes, root, from, node } = nodes
  if (node.children.length <= sizes.node) return undefined
  const before = await findInnerNode(table, list, neighbours(root, from).before)
  const room = roomBefore(before?.node.children.length, sizes.node)
  if (!before || room === 0) return undefined
  const [moved, kept] = [node.children.slice(0, room), node.children.slice(room)]
  const start = startOf(kept)
  const shapeVersion = Math.max(before.node.shapeVersion, node.shapeVersion) + 1
  const children = root.children.map(child => {
    if (child.from === before.from) return { ...child, count: child.count + entriesBelow(moved) }
    return child.from === from ? { from: start, count: entriesBelow(kept) } : child
  })
  const filled = { children: [...before.node.children, ...moved], shapeVersion, until: start }
  return {
    actions: [
      reshapeRoot(list, root, children),
      reshapeInnerNode(list, before.from, before.node, filled),
      removeInnerNode(list, from, node),
      putInnerNode(list, start, { children: kept, shapeVersion, until: node.until }),
    ],
    next: kept.length > sizes.node ? start : undefined,
  }
}

/** Merges an inner node with few ranges into a neighbour, if both are small. */
export async function mergeInnerNode(table: Table, nodes: Nodes): Promise<Reshape | undefined> {
  const { list, sizes, root, from, node } = nodes
  if (!areSmall(node.children, [], sizes)) return undefined
  const here = { from, node }
  const next = neighbours(root, from)
  const [before, after] = await Promise.all([
    findInnerNode(table, list, next.before),
    findInnerNode(table, list, next.after),
  ])
  if (after && areSmall(node.children, after.node.children, sizes)) return merging(list, root, here, after)
  if (before && areSmall(before.node.children, node.children, sizes)) return merging(list, root, before, here)
  return undefined
}

/** Moves the right node's ranges into the left node, with a shape version above both. */
function merging(list: List, root: Root, left: LocatedNode, right: LocatedNode): Reshape {
  const ranges = [...left.node.children, ...right.node.children]
  const shapeVersion = Math.max(left.node.shapeVersion, right.node.shapeVersion) + 1
  const children = root.children
    .filter(({ from }) => from !== right.from)
    .map(child => (child.from === left.from ? { ...child, count: entriesBelow(ranges) } : child))
  return {
    actions: [
      reshapeRoot(list, root, children),
      reshapeInnerNode(list, left.from, left.node, {
        children: ranges,
        shapeVersion,
        until: right.node.until,
      }),
      removeInnerNode(list, right.from, right.node),
    ],
    next: left.from,
  }
}

/** The keys where the neighbouring inner nodes start; undefined at the ends, or if the root lost the node. */
function neighbours({ children }: Root, from: string): { before?: string; after?: string } {
  const at = children.findIndex(child => child.from === from)
  return at < 0 ? {} : { before: children[at - 1]?.from, after: children[at + 1]?.from }
}

async function findInnerNode(table: Table, list: List, from?: string): Promise<LocatedNode | undefined> {
  if (from === undefined) return undefined
  const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
  return node && { from, node }
}

function startOf(children: Child[]): string {
  return children[0]?.from ?? ''
}
