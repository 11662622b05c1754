// Splitting and merging the inner nodes of a counted list: their root and both nodes change in one transaction.
import type { Simple } from '../table/action.ts'
import type { ListSizes, Table } from '../table/client.ts'
import { innerNodeKey } from '../table/design.ts'
import { type Child, entriesBelow } from './directory.ts'
import { type InnerNode, innerNodeSchema, type List, type Root } from './list.ts'
import { putInnerNode, removeInnerNode, reshapeInnerNode, reshapeRoot } from './nodes.ts'
import { areSmall, parts, roomBefore } from './shape.ts'

export type Nodes = { list: List; sizes: ListSizes; root: Root; from: string; node: InnerNode }
/** One atomic step, and the inner node to look at after it. */
export type Reshape = { actions: [Simple, ...Simple[]]; next?: string }

type LocatedNode = { from: string; node: InnerNode }

/** An inner node with too many ranges becomes two (after a bulk: several). */
export function splitInnerNode({ list, sizes, root, from, node }: Nodes): Reshape | undefined {
  if (node.children.length <= sizes.node) return undefined
  const halves = parts(node.children, sizes.node).map(children => ({ from: startOf(children), children }))
  const shapeVersion = node.shapeVersion + 1
  const rewrites = halves.map(({ from, children }, n) => {
    const current = { children, shapeVersion, until: halves[n + 1]?.from ?? node.until }
    return n === 0 ? reshapeInnerNode(list, from, node, current) : putInnerNode(list, from, current)
  })
  const made = halves.map(({ from, children }) => ({ from, count: entriesBelow(children) }))
  const children = root.children.flatMap(child => (child.from === from ? made : [child]))
  return { actions: [reshapeRoot(list, root, children), ...rewrites] }
}

/** Before an inner node with too many ranges is split, it fills up the one before it. */
export async function fillBefore(table: Table, nodes: Nodes): Promise<Reshape | undefined> {
  const { list, sizes, root, from, node } = nodes
  if (node.children.length <= sizes.node) return undefined
  const before = await findInnerNode(table, list, neighbours(root, from).before)
  const room = roomBefore(before?.node.children.length, sizes.node)
  if (!before || room === 0) return undefined
  const [given, kept] = [node.children.slice(0, room), node.children.slice(room)]
  const start = startOf(kept)
  const shapeVersion = Math.max(before.node.shapeVersion, node.shapeVersion) + 1
  const children = root.children.map(child => {
    if (child.from === before.from) return { ...child, count: child.count + entriesBelow(given) }
    return child.from === from ? { from: start, count: entriesBelow(kept) } : child
  })
  const filled = { children: [...before.node.children, ...given], shapeVersion, until: start }
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

/** An inner node with few ranges is joined with a neighbour when both are small. */
export async function mergeInnerNode(table: Table, nodes: Nodes): Promise<Reshape | undefined> {
  const { list, sizes, root, from, node } = nodes
  if (!areSmall(node.children, [], sizes)) return undefined
  const here = { from, node }
  const beside = neighbours(root, from)
  const [before, after] = await Promise.all([
    findInnerNode(table, list, beside.before),
    findInnerNode(table, list, beside.after),
  ])
  if (after && areSmall(node.children, after.node.children, sizes)) return merging(list, root, here, after)
  if (before && areSmall(before.node.children, node.children, sizes)) return merging(list, root, before, here)
  return undefined
}

/** The left one takes over the right one's ranges; its structure is newer than either was. */
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

/** Where the inner nodes beside one start; undefined where there is none, or the root does not know it any more. */
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
