// Splitting and merging the middle nodes of a counted list: their root and both nodes change in one transaction.
import type { Simple } from './action.ts'
import type { Table } from './client.ts'
import { middleKey } from './design.ts'
import { type Child, entriesBelow } from './directory.ts'
import { type List, type Middle, middleSchema, type Root, type Sizes } from './list.ts'
import { putMiddle, removeMiddle, reshapeMiddle, reshapeRoot } from './list-nodes.ts'
import { areSmall, parts, roomBefore } from './list-shape.ts'

export type Nodes = { list: List; sizes: Sizes; root: Root; from: string; middle: Middle }
/** One atomic step, and the middle node to look at after it. */
export type Work = { actions: [Simple, ...Simple[]]; next?: string }

type Placed = { from: string; middle: Middle }

/** A middle node with too many ranges becomes two (after a bulk: several). */
export const splitMiddle = ({ list, sizes, root, from, middle }: Nodes): Work | undefined => {
  if (middle.children.length <= sizes.node) return undefined
  const halves = parts(middle.children, sizes.node).map(children => ({ from: startOf(children), children }))
  const structure = middle.structure + 1
  const rewrites = halves.map(({ from, children }, n) => {
    const now = { children, structure, until: halves[n + 1]?.from ?? middle.until }
    return n === 0 ? reshapeMiddle(list, from, middle, now) : putMiddle(list, from, now)
  })
  const made = halves.map(({ from, children }) => ({ from, count: entriesBelow(children) }))
  const children = root.children.flatMap(child => (child.from === from ? made : [child]))
  return { actions: [reshapeRoot(list, root, children), ...rewrites] }
}

/** Before a middle node with too many ranges is split, it fills up the one before it. */
export const fillBefore = async (table: Table, nodes: Nodes): Promise<Work | undefined> => {
  const { list, sizes, root, from, middle } = nodes
  if (middle.children.length <= sizes.node) return undefined
  const before = await findMiddle(table, list, neighbours(root, from).before)
  const room = roomBefore(before?.middle.children.length, sizes.node)
  if (!before || room === 0) return undefined
  const [given, kept] = [middle.children.slice(0, room), middle.children.slice(room)]
  const start = startOf(kept)
  const structure = Math.max(before.middle.structure, middle.structure) + 1
  const children = root.children.map(child => {
    if (child.from === before.from) return { ...child, count: child.count + entriesBelow(given) }
    return child.from === from ? { from: start, count: entriesBelow(kept) } : child
  })
  const filled = { children: [...before.middle.children, ...given], structure, until: start }
  return {
    actions: [
      reshapeRoot(list, root, children),
      reshapeMiddle(list, before.from, before.middle, filled),
      removeMiddle(list, from, middle),
      putMiddle(list, start, { children: kept, structure, until: middle.until }),
    ],
    next: kept.length > sizes.node ? start : undefined,
  }
}

/** A middle node with few ranges is joined with a neighbour when both are small. */
export const mergeMiddle = async (table: Table, nodes: Nodes): Promise<Work | undefined> => {
  const { list, sizes, root, from, middle } = nodes
  if (!areSmall(middle.children, [], sizes)) return undefined
  const here = { from, middle }
  const beside = neighbours(root, from)
  const [before, after] = await Promise.all([
    findMiddle(table, list, beside.before),
    findMiddle(table, list, beside.after),
  ])
  if (after && areSmall(middle.children, after.middle.children, sizes))
    return merging(list, root, here, after)
  if (before && areSmall(before.middle.children, middle.children, sizes))
    return merging(list, root, before, here)
  return undefined
}

/** The left one takes over the right one's ranges; its structure is newer than either was. */
const merging = (list: List, root: Root, left: Placed, right: Placed): Work => {
  const ranges = [...left.middle.children, ...right.middle.children]
  const structure = Math.max(left.middle.structure, right.middle.structure) + 1
  const children = root.children
    .filter(({ from }) => from !== right.from)
    .map(child => (child.from === left.from ? { ...child, count: entriesBelow(ranges) } : child))
  return {
    actions: [
      reshapeRoot(list, root, children),
      reshapeMiddle(list, left.from, left.middle, { children: ranges, structure, until: right.middle.until }),
      removeMiddle(list, right.from, right.middle),
    ],
    next: left.from,
  }
}

/** Where the middle nodes beside one start; undefined where there is none, or the root does not know it any more. */
const neighbours = ({ children }: Root, from: string): { before?: string; after?: string } => {
  const at = children.findIndex(child => child.from === from)
  return at < 0 ? {} : { before: children[at - 1]?.from, after: children[at + 1]?.from }
}

const findMiddle = async (table: Table, list: List, from?: string): Promise<Placed | undefined> => {
  if (from === undefined) return undefined
  const middle = await table.find(middleKey(list.name, from), middleSchema)
  return middle && { from, middle }
}

const startOf = (children: Child[]): string => children[0]?.from ?? ''
