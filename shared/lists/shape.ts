// Decides when and how nodes of a counted list are split and merged, without any read or write.
import type { ListSizes } from '../table/client.ts'
import { type Child, separator } from './children.ts'
import type { List } from './list.ts'

/** Two neighbours are merged if together they fill at most half of one node. */
function fitTogether(a: number, b: number, size: number): boolean {
  return a + b <= size / 2
}

/** As many ranges as 1 kB holds, which is one write unit. */
const RANGES_OF_A_UNIT = 45

/** A range of so many references costs no more to read than one of copies, and makes the nodes smaller. */
const REFERENCES_FOR_A_COPY = 4

/**
 * The sizes of a list, by those of one whose entries are copies. Each write costs by the size of the root and
 * of an inner node: the latter has no more ranges than a unit holds until the root has more children.
 */
export function sizesOf(
  { hasReferences }: List,
  rootChildren: number,
  { range, node }: ListSizes,
): ListSizes {
  return {
    range: hasReferences ? REFERENCES_FOR_A_COPY * range : range,
    node: Math.min(node, Math.max(RANGES_OF_A_UNIT, rootChildren)),
  }
}

/** Whether any of an inner node's ranges must be split or merged. */
export function haveOddRanges(ranges: Child[], sizes: ListSizes): boolean {
  return ranges.some(({ count }) => count > sizes.range) || joined(ranges, sizes).length < ranges.length
}

/** Whether an inner node or any of its ranges must be split or merged. */
export function isOutOfShape(ranges: Child[], sizes: ListSizes): boolean {
  return ranges.length > sizes.node || haveOddRanges(ranges, sizes)
}

/** Merges small neighbouring ranges. */
export function joined(ranges: Child[], sizes: ListSizes): Child[] {
  const all: Child[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    if (last && fitTogether(last.count, range.count, sizes.range)) {
      all.splice(-1, 1, { from: last.from, count: last.count + range.count })
    } else {
      all.push(range)
    }
  }
  return all
}

/** Divides an array evenly into parts of at most `size`. */
export function parts<T>(all: T[], size: number): T[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, n) =>
    all.slice(Math.round((n * all.length) / count), Math.round(((n + 1) * all.length) / count)),
  )
}

/**
 * How many children an overfull node moves to the node before it, if that is at most half full. Entries that
 * arrive in order, as posts do by date, thus leave full nodes behind instead of half-full ones.
 */
export function roomBefore(before: number | undefined, size: number): number {
  return before !== undefined && before <= size / 2 + 1 ? size - before : 0
}

/** Splits the ranges that have order keys in `ordersOf`. First fills the range before, if it has room. */
export function splitRanges(ranges: Child[], ordersOf: (string[] | undefined)[], sizes: ListSizes): Child[] {
  const all: Child[] = []
  for (const [n, range] of ranges.entries()) {
    const orders = ordersOf[n]
    const last = all.at(-1)
    if (!orders) {
      all.push(range)
      continue
    }
    const movedCount = roomBefore(last?.count, sizes.range)
    if (last && movedCount > 0) all.splice(-1, 1, { ...last, count: last.count + movedCount })
    for (const part of splitRange(range, orders, movedCount, sizes)) all.push(part)
  }
  return all
}

/** Splits a range evenly at the shortest separators, without its first `movedCount` entries. */
function splitRange(range: Child, orders: string[], movedCount: number, sizes: ListSizes): Child[] {
  let left = movedCount > 0 ? orders[movedCount - 1] : undefined
  return parts(orders.slice(movedCount), sizes.range).map(part => {
    const from = left === undefined ? range.from : separator(left, part.at(0) ?? '')
    left = part.at(-1)
    return { from, count: part.length }
  })
}

/** Whether two inner nodes should be merged. */
export function areSmall(a: Child[], b: Child[], sizes: ListSizes): boolean {
  return fitTogether(a.length, b.length, sizes.node)
}
