// The counts of one list as actions: every node that entries enter or leave below is written exactly once.
import { type Action, STALE } from './action.ts'
import { childAt, sumOf, withDeltas } from './directory.ts'
import type { List, Middle, Root, Sizes } from './list.ts'
import { addToMiddle, addToRoot } from './list-additions.ts'
import { firstDirectory } from './list-nodes.ts'
import { isOutOfShape } from './list-shape.ts'

/** An entry that enters (1) or leaves (-1) a list. */
export type Step = { list: List; order: string; delta: 1 | -1 }
/** A middle node and the steps below it. */
export type Part = { from: string; middle: Middle; steps: Step[] }
/** A middle node that a change left with something to split or merge. */
export type Touched = { list: List; from: string }
export type Plan = { actions: Action[]; touched: Touched[] }

/** What the steps do to the counts of a list whose nodes are known. */
export const countsOf = (list: List, root: Root, parts: Part[], sizes: Sizes): Plan => {
  const inRanges = parts.map(({ from, middle, steps }) => ({
    from,
    middle,
    deltas: deltasOf(middle, steps),
    orders: steps.map(({ order }) => order),
  }))
  const all = parts.flatMap(({ steps }) => steps)
  const inMiddles = deltasOf(root, all)
  return {
    actions: [
      ...inRanges.map(({ from, middle, deltas, orders }) => addToMiddle(list, from, middle, deltas, orders)),
      ...(inMiddles.size > 0 ? [addToRoot(list, root, inMiddles)] : []),
    ],
    touched: inRanges
      .filter(({ middle, deltas }) => isOutOfShape(withDeltas(middle.children, deltas), sizes))
      .map(({ from }) => ({ list, from })),
  }
}

/** The nodes of a fixed list that its first entries begin. Whoever loses the race for it reads again. */
export const firstUse = (list: List, count: number, sizes: Sizes): Plan => {
  const { root, middle } = firstDirectory(list, count)
  const begin: Action = {
    Put: { Item: { ...list.root, ...root }, ConditionExpression: 'attribute_not_exists(pk)' },
    refused: STALE,
  }
  const touched = isOutOfShape([{ from: '', count }], sizes) ? [{ list, from: '' }] : []
  return { actions: [begin, middle], touched }
}

/** By how much which child changes; children whose count stays are left out. */
const deltasOf = ({ children }: Root, steps: Step[]): Map<number, number> => {
  const byChild = Map.groupBy(steps, ({ order }) => childAt(children, order))
  const sums = [...byChild].map(([n, steps]): [number, number] => [n, sumOf(steps.map(({ delta }) => delta))])
  return new Map(sums.filter(([, sum]) => sum !== 0))
}
