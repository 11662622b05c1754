// When and how the nodes of a counted list are split and merged: arithmetic, no reads and no writes.
import { type Child, separator } from './directory.ts'
import type { Sizes } from './list.ts'

/** Two neighbours become one when together they are at most half of what one may hold. */
const fitTogether = (a: number, b: number, size: number): boolean => a + b <= size / 2

/** Whether ranges of a middle node are to be split or joined. */
export const haveOddRanges = (ranges: Child[], sizes: Sizes): boolean =>
  ranges.some(({ count }) => count > sizes.range) || joined(ranges, sizes).length < ranges.length

/** Whether a middle node has something to split or join. */
export const isOutOfShape = (ranges: Child[], sizes: Sizes): boolean =>
  ranges.length > sizes.node || haveOddRanges(ranges, sizes)

/** The ranges with small neighbours joined. */
export const joined = (ranges: Child[], sizes: Sizes): Child[] => {
  const all: Child[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    if (last && fitTogether(last.count, range.count, sizes.range))
      all.splice(-1, 1, { from: last.from, count: last.count + range.count })
    else all.push(range)
  }
  return all
}

/** Even parts of at most `size`: two for one that is just too long. */
export const parts = <T>(all: T[], size: number): T[][] => {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, n) =>
    all.slice(Math.round((n * all.length) / count), Math.round(((n + 1) * all.length) / count)),
  )
}

/**
 * How many of its first children a full node gives to the one before it: as many as fit, where that is no more than
 * half full. What comes in order, as posts come by their dates, so leaves full nodes behind and not halves.
 */
export const roomBefore = (before: number | undefined, size: number): number =>
  before !== undefined && before <= size / 2 + 1 ? size - before : 0

/** The ranges with those split, or put partly into the one before, of which the order keys are given. */
export const splitRanges = (ranges: Child[], ordersOf: (string[] | undefined)[], sizes: Sizes): Child[] => {
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
const splitRange = (range: Child, orders: string[], given: number, sizes: Sizes): Child[] => {
  let left = given > 0 ? orders[given - 1] : undefined
  return parts(orders.slice(given), sizes.range).map(part => {
    const from = left === undefined ? range.from : separator(left, part.at(0) ?? '')
    left = part.at(-1)
    return { from, count: part.length }
  })
}

/** Whether two middle nodes should be one. */
export const areSmall = (a: Child[], b: Child[], sizes: Sizes): boolean =>
  fitTogether(a.length, b.length, sizes.node)
