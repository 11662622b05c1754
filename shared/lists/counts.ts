// The counts of one list as actions: every node that entries enter or leave below is written exactly once.

import { type Action, CONFLICT } from '../table/action.ts'
import type { ListSizes } from '../table/client.ts'
import { isNew } from '../table/conditions.ts'
import { addToInnerNode, addToRoot } from './additions.ts'
import { childAt, sumOf, withDeltas } from './directory.ts'
import type { InnerNode, List, Root } from './list.ts'
import { firstDirectory } from './nodes.ts'
import { isOutOfShape } from './shape.ts'

/** An entry that enters (1) or leaves (-1) a list. */
export type Step = { list: List; order: string; delta: 1 | -1 }
/** An inner node and the steps below it. */
export type Part = { from: string; node: InnerNode; steps: Step[] }
/** An inner node that a change left with something to split or merge. */
export type Touched = { list: List; from: string }
export type Plan = { actions: Action[]; touched: Touched[] }

/** What the steps do to the counts of a list whose nodes are known. */
export function countsOf(list: List, root: Root, parts: Part[], sizes: ListSizes): Plan {
  const inRanges = parts.map(({ from, node, steps }) => ({
    from,
    node,
    deltas: deltasOf(node, steps),
    orders: steps.map(({ order }) => order),
  }))
  const all = parts.flatMap(({ steps }) => steps)
  const inInnerNodes = deltasOf(root, all)
  return {
    actions: [
      ...inRanges.map(({ from, node, deltas, orders }) => addToInnerNode(list, from, node, deltas, orders)),
      ...(inInnerNodes.size > 0 ? [addToRoot(list, root, inInnerNodes)] : []),
    ],
    touched: inRanges
      .filter(({ node, deltas }) => isOutOfShape(withDeltas(node.children, deltas), sizes))
      .map(({ from }) => ({ list, from })),
  }
}

/** The nodes of a fixed list that its first entries begin. Whoever loses the race for it reads again. */
export function firstUse(list: List, count: number, sizes: ListSizes): Plan {
  const { root, node } = firstDirectory(list, count)
  const begin: Action = {
    Put: { Item: { ...list.root, ...root }, ...isNew },
    onConditionFailed: CONFLICT,
  }
  const touched = isOutOfShape([{ from: '', count }], sizes) ? [{ list, from: '' }] : []
  return { actions: [begin, node], touched }
}

/** By how much which child changes; children whose count stays are left out. */
function deltasOf({ children }: Root, steps: Step[]): Map<number, number> {
  const byChild = Map.groupBy(steps, ({ order }) => childAt(children, order))
  const sums = [...byChild].map(([n, steps]): [number, number] => [n, sumOf(steps.map(({ delta }) => delta))])
  return new Map(sums.filter(([, sum]) => sum !== 0))
}
