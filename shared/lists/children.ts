// Arithmetic on a node's children: each starts at a separator key and has a count.
import { firstIndex } from '../table/concurrency.ts'

/** `count` is the number of entries from key `from` up to the next child's `from`. */
export type Child = { from: string; count: number }
/** By the index of a child, how many entries are added to it, negative if more are removed. */
export type Deltas = Map<number, number>
export type Order = 'ascending' | 'descending'
/** Order keys from `from` to before `until` ('' for no end). */
export type Bounds = { from: string; until: string }
/** The bounds of a child, and how many of its entries to skip in reading order. */
export type Position = Bounds & { skip: number; inside: boolean }

/** Compares as DynamoDB sorts keys: by UTF-8 bytes, which differs from JavaScript's UTF-16 order. */
export function compareOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Whether an order key lies in `from` (inclusive) to `until` (exclusive, '' for no end). */
export function isWithin(order: string, from: string, until: string): boolean {
  return compareOrder(order, from) >= 0 && (until === '' || compareOrder(order, until) < 0)
}

/** The index of the child that contains an order key: the last one that starts at or before it. */
export function childAt(children: Child[], order: string): number {
  return Math.max(0, firstIndex(children, ({ from }) => compareOrder(from, order) > 0) - 1)
}

export function sumOf(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

export function entriesBelow(children: Child[]): number {
  return sumOf(children.map(({ count }) => count))
}

/** Adds each delta to the count of the child at its index. */
export function withDeltas(children: Child[], deltas: Deltas): Child[] {
  return children.map(({ from, count }, n) => ({ from, count: count + (deltas.get(n) ?? 0) }))
}

/** Subtracts hidden entries from the counts. Never below 0: an entry may have been removed since. */
export function withoutHidden(children: Child[], hidden: string[]): Child[] {
  const deltas: Deltas = new Map()
  for (const order of hidden) {
    const n = childAt(children, order)
    deltas.set(n, (deltas.get(n) ?? 0) - 1)
  }
  return withDeltas(children, deltas).map(({ from, count }) => ({ from, count: Math.max(0, count) }))
}

/**
 * Finds the child that contains the entry at `offset`. Past the end, returns the last child with `inside:
 * false`, so that a page is still read correctly when entries were removed after the parent was read.
 */
export function locate(children: Child[], until: string, offset: number, order: Order): Position {
  const bounded = children.map((child, n) => ({ ...child, until: children[n + 1]?.from ?? until }))
  if (order === 'descending') bounded.reverse()
  let skip = offset
  let last: Position = { from: '', until, skip, inside: false }
  for (const child of bounded) {
    last = { from: child.from, until: child.until, skip, inside: skip < child.count }
    if (last.inside) return last
    skip -= child.count
  }
  return last
}

/**
 * The shortest prefix of `right`, in whole code points, that is greater than `left`.
 * Suffix truncation: Bayer and Unterauer, Prefix B-Trees, 1977.
 */
export function separator(left: string, right: string): string {
  const smaller = [...left]
  const greater = [...right]
  const differs = greater.findIndex((character, n) => character !== smaller[n])
  return greater.slice(0, differs + 1).join('')
}
