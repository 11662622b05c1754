// After a commit: brings the nodes that a change left too large or too small back into shape.

import * as z from 'zod/mini'
import { Refused, STALE } from './action.ts'
import type { Table } from './client.ts'
import { ENTRIES_END, entryKey, middleKey } from './design.ts'
import { isWithin } from './directory.ts'
import { type List, middleSchema, rootSchema, type Sizes } from './list.ts'
import type { Touched } from './list-counts.ts'
import { fillBefore, mergeMiddle, type Nodes, splitMiddle, type Work } from './list-middles.ts'
import { reshapeMiddle } from './list-nodes.ts'
import { haveOddRanges, joined, splitRanges } from './list-shape.ts'
import { withPatience } from './patience.ts'
import { isBusy } from './retrying.ts'

/** More than enough for a bulk: ranges, then middles, then a chain of neighbours to join. */
const ROUNDS = 8
const REFUSALS = 2
const PATIENCE_MS = 100
const keyOnly = z.object({ sk: z.string() })

/**
 * Splits and merges what `planMoves` named, without a read where it named nothing. What a busy list refuses
 * is left for its next write: a range may be too large for a moment, and no caller waits or fails for it.
 */
export const settle = async (
  table: Table,
  touched: Touched[],
  sizes: Sizes = table.listSizes,
): Promise<void> => {
  if (touched.length === 0) return
  const settling = () => Promise.all(touched.map(({ list, from }) => settleMiddle(table, list, from, sizes)))
  await withPatience(settling, PATIENCE_MS)
}

const settleMiddle = async (table: Table, list: List, from: string, sizes: Sizes): Promise<void> => {
  let at: string | undefined = from
  let refusals = 0
  for (let round = 0; at !== undefined && round < ROUNDS && refusals < REFUSALS; round++) {
    try {
      at = await settleOnce(table, list, at, sizes)
    } catch (error) {
      if (!(error instanceof Refused) && !isBusy(error)) throw error
      refusals++
    }
  }
}

const settleOnce = async (table: Table, list: List, from: string, sizes: Sizes) => {
  const [root, middle] = await Promise.all([
    table.find(list.root, rootSchema),
    table.find(middleKey(list.name, from), middleSchema),
  ])
  if (!root || !middle) return undefined
  const nodes = { list, sizes, root, from, middle }
  const work =
    (await reshapeRanges(table, nodes)) ??
    (await fillBefore(table, nodes)) ??
    splitMiddle(nodes) ??
    (await mergeMiddle(table, nodes))
  if (!work) return undefined
  const [only, ...others] = work.actions
  await (others.length === 0 ? table.write(only) : table.transact(work.actions))
  return work.next
}

/** All ranges of a middle node at once: that takes one write of the node, entries stay where they are. */
const reshapeRanges = async (table: Table, nodes: Nodes): Promise<Work | undefined> => {
  const { list, sizes, from, middle } = nodes
  if (!haveOddRanges(middle.children, sizes)) return undefined
  const ordersOf = await Promise.all(
    middle.children.map(async (range, n) => {
      if (range.count <= sizes.range) return undefined
      const orders = await ordersWithin(table, list, range.from, middle.children[n + 1]?.from ?? middle.until)
      if (orders.length !== range.count) throw new Refused([STALE])
      return orders
    }),
  )
  const children = joined(splitRanges(middle.children, ordersOf, sizes), sizes)
  const isDone = children.length <= sizes.node && children.length >= middle.children.length
  return {
    actions: [reshapeMiddle(list, from, middle, { ...middle, children, structure: middle.structure + 1 })],
    next: isDone ? undefined : from,
  }
}

/** The order keys of the entries from `from` to before `until` ('': to the end). */
export const ordersWithin = async (
  table: Table,
  list: List,
  from: string,
  until: string,
): Promise<string[]> => {
  const { pk, sk } = entryKey(list.name, from)
  const to = until === '' ? ENTRIES_END : entryKey(list.name, until).sk
  const found = await table.query({ pk, from: sk, to, only: ['sk'] }, keyOnly)
  const prefix = entryKey(list.name, '').sk.length
  return found.map(({ sk }) => sk.slice(prefix)).filter(order => isWithin(order, from, until))
}
