// The root and the inner nodes of a counted list, and how both are stored.
import * as z from 'zod/mini'
import { type Key, rootKey } from '../table/design.ts'
import { type Child, type Order, sumOf } from './children.ts'

/** `root` may be a record with attributes of its own, such as a category. */
export type List = {
  name: string
  order: Order
  root: Key
  /** Its entries only refer to their records, and are small. */
  hasReferences?: true
  /** Created with its first entry. Every other list exists as long as its root does. */
  fixed: boolean
}

export function fixedList(name: string, order: Order): List {
  return { name, order, root: rootKey(name), fixed: true }
}

/** By keys that rise with time, such as `timeOrder` or an id. */
export function newestFirst(name: string): List {
  return fixedList(name, 'descending')
}

/** The stored attributes of a node: where its children start (`starts`), and how many entries each has. */
export const rootAttributes = z.object({
  starts: z.array(z.string()),
  counts: z.array(z.number()),
  /** The shape version: raised by each split and merge, so that a plan for an older shape fails. */
  shape_version: z.number(),
})
export type RootAttributes = z.infer<typeof rootAttributes>

function childrenOf({ starts, counts }: RootAttributes): Child[] {
  return starts.map((from, n) => ({ from, count: counts[n] ?? 0 })).reverse()
}

/** Stored in reverse: most splits happen at the end of a list, where they then keep the other indexes. */
export function toStored(children: Child[]) {
  return {
    starts: children.map(({ from }) => from).reverse(),
    counts: children.map(({ count }) => count).reverse(),
  }
}

export function storedIndex({ children }: Root, n: number): number {
  return children.length - 1 - n
}

export type Root = { children: Child[]; shapeVersion: number }
export const rootSchema = z.pipe(
  rootAttributes,
  z.transform((node): Root => ({ children: childrenOf(node), shapeVersion: node.shape_version })),
)

/**
 * An inner node; its children are key ranges. `until` is where the next node starts ('' for none): it shows a
 * reader that its root is outdated. `writes` counts changes, because equal counts may hide moved entries.
 */
export type InnerNode = Root & { until: string; writes: number }
export const innerNodeSchema = z.pipe(
  z.extend(rootAttributes, { until: z.string(), writes: z.number() }),
  z.transform(
    (node): InnerNode => ({
      children: childrenOf(node),
      shapeVersion: node.shape_version,
      until: node.until,
      writes: node.writes,
    }),
  ),
)

/** The number of visible entries, from the root alone. */
export function visibleCount({ counts }: Pick<RootAttributes, 'counts'>, hiddenCount: number): number {
  return Math.max(0, sumOf(counts) - hiddenCount)
}
