// What a counted list is made of in the table: its root, its inner nodes, and how both are stored.
import * as z from 'zod/mini'
import { rootKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { type Child, type Order, sumOf } from './directory.ts'

/**
 * `root` may be a record of its own right (a category): then other attributes of it belong to others.
 * A `fixed` list begins with its first entry; any other exists while its root does.
 */
export type List = { name: string; order: Order; root: Key; fixed: boolean }

/** A fixed list that shows what sorts highest first: by `timeOrder`, the newest. */
export function newestFirst(name: string): List {
  return {
    name,
    order: 'descending',
    root: rootKey(name),
    fixed: true,
  }
}

/** What a root keeps: inner nodes by where they start, and how many entries are below each. */
export const rootAttributes = z.object({
  froms: z.array(z.string()),
  counts: z.array(z.number()),
  /** Raised by every split and merge below: whoever reshapes, or counts several entries, by an older one reads again. */
  structure: z.number(),
})
export type RootAttributes = z.infer<typeof rootAttributes>

function childrenOf({ froms, counts }: RootAttributes): Child[] {
  return froms.map((from, n) => ({ from, count: counts[n] ?? 0 })).reverse()
}

/** The last child first: new entries come at the end of a list, and there a split leaves its place as it was. */
export function stored(children: Child[]) {
  return {
    froms: children.map(({ from }) => from).reverse(),
    counts: children.map(({ count }) => count).reverse(),
  }
}

export function storedAt({ children }: Root, n: number): number {
  return children.length - 1 - n
}

export type Root = { children: Child[]; shapeVersion: number }
export const rootSchema = z.pipe(
  rootAttributes,
  z.transform((node): Root => ({ children: childrenOf(node), shapeVersion: node.structure })),
)

/**
 * An inner node; its children are the key ranges. `until` is where the next inner node starts ('': none), so
 * that a root read before a split cannot mislead. `writes` is raised by every change of an entry below,
 * since one that leaves and one that enters leave a count as it was, but not where to halve a range.
 */
export type InnerNode = Root & { until: string; writes: number }
export const innerNodeSchema = z.pipe(
  z.extend(rootAttributes, { until: z.string(), writes: z.number() }),
  z.transform(
    (node): InnerNode => ({
      children: childrenOf(node),
      shapeVersion: node.structure,
      until: node.until,
      writes: node.writes,
    }),
  ),
)

/** How many entries a list shows, from its root alone. */
export function countOf({ counts }: Pick<RootAttributes, 'counts'>, hiddenCount: number): number {
  return Math.max(0, sumOf(counts) - hiddenCount)
}
