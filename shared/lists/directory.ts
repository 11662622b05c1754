// The arithmetic of a counted list's nodes: children in order, each from its separator on, with a count.

/** `count` is how many entries are from `from` to the next child's `from`. */
export type Child = { from: string; count: number }
export type Order = 'ascending' | 'descending'
/** A child and how many entries to skip in it, in reading order. `until` '' has no end. */
export type Position = { from: string; until: string; skip: number; inside: boolean }

/** DynamoDB's order of sort keys: UTF-8 bytes, which is not the order of JavaScript's UTF-16 units. */
export function compareOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Whether an order key is from `from` (inclusive) to `until` (exclusive; '' has no end). */
export function isWithin(order: string, from: string, until: string): boolean {
  return compareOrder(order, from) >= 0 && (until === '' || compareOrder(order, until) < 0)
}

/** The child that an order key belongs to: the last one that starts at or before it. */
export function childAt(children: Child[], order: string): number {
  let low = 0
  let high = children.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (compareOrder(children[middle]?.from ?? '', order) <= 0) {
      low = middle
    } else {
      high = middle
    }
  }
  return low
}

export function sumOf(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

export function entriesBelow(children: Child[]): number {
  return sumOf(children.map(({ count }) => count))
}

/** The children with every delta added to the child at its index. */
export function withDeltas(children: Child[], deltas: Map<number, number>): Child[] {
  return children.map(({ from, count }, n) => ({ from, count: count + (deltas.get(n) ?? 0) }))
}

/** The children without the entries that must not be seen. Never negative: one may have left just now. */
export function withoutHidden(children: Child[], hidden: string[]): Child[] {
  const deltas = new Map<number, number>()
  for (const order of hidden) {
    const n = childAt(children, order)
    deltas.set(n, (deltas.get(n) ?? 0) - 1)
  }
  return withDeltas(children, deltas).map(({ from, count }) => ({ from, count: Math.max(0, count) }))
}

/**
 * Where the entry at `offset` is, in reading order. Past the end it is that far into the last child, not
 * `inside`: what follows there is the right answer when entries left after the parent was read.
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
 * The shortest beginning of `right` that is greater than `left`, in whole code points.
 * Suffix truncation: Bayer and Unterauer, Prefix B-Trees, 1977.
 */
export function separator(left: string, right: string): string {
  const smaller = [...left]
  const greater = [...right]
  const differs = greater.findIndex((letter, n) => letter !== smaller[n])
  return greater.slice(0, differs + 1).join('')
}
