// When and how the nodes of a counted list are split and merged: arithmetic, no reads and no writes.

import type { ListSizes } from '../table/client.ts'
import { type Child, separator } from './directory.ts'

/** Two neighbours become one when together they are at most half of what one may hold. */
function fitTogether(a: number, b: number, size: number): boolean {
  return a + b <= size / 2
}

/** Whether ranges of a middle node are to be split or joined. */
export function haveOddRanges(ranges: Child[], sizes: ListSizes): boolean {
  return ranges.some(({ count }) => count > sizes.range) || joined(ranges, sizes).length < ranges.length
}

/** Whether a middle node has something to split or join. */
export function isOutOfShape(ranges: Child[], sizes: ListSizes): boolean {
  return ranges.length > sizes.node || haveOddRanges(ranges, sizes)
}

/** The ranges with small neighbours joined. */
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

/** Even parts of at most `size`: two for one that is just too long. */
export function parts<T>(all: T[], size: number): T[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, n) =>
    all.slice(Math.round((n * all.length) / count), Math.round(((n + 1) * all.length) / count)),
  )
}

/**
 * How many of its first children a full node gives to the one before it: as many as fit, where that is no more than
 * half full. What comes in order, as posts come by their dates, so leaves full nodes behind and not halves.
 */
export function roomBefore(before: number | undefined, size: number): number {
  return before !== undefined && before <= size / 2 + 1 ? size - before : 0
}

/** The ranges with those split, or put partly into the one before, of which the order keys are given. */
export function splitRanges(ranges: Child[], ordersOf: (string[] | undefined)[], sizes: ListSizes): Child[] {
  const all: Child[] = []
  for (const [n, range] of ranges.entries()) {
    const orders = ordersOf[n]
    const last = all.at(-1)
    if (!orders) {
      all.push(range)
      continue
    }
    const given = roomBefore(last?.count, sizes.range)
    if (last && given > 0) all.splice(-1, 1, { ...last, count: last.count + given })
    for (const part of splitRange(range, orders, given, sizes)) all.push(part)
  }
  return all
}

/** A range by its order keys without the first ones, at the median (a bulk: into even parts), by short separators. */
function splitRange(range: Child, orders: string[], given: number, sizes: ListSizes): Child[] {
  let left = given > 0 ? orders[given - 1] : undefined
  return parts(orders.slice(given), sizes.range).map(part => {
    const from = left === undefined ? range.from : separator(left, part.at(0) ?? '')
    left = part.at(-1)
    return { from, count: part.length }
  })
}

/** Whether two middle nodes should be one. */
export function areSmall(a: Child[], b: Child[], sizes: ListSizes): boolean {
  return fitTogether(a.length, b.length, sizes.node)
}
