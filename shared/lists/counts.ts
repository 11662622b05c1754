// Turns the entries that a change adds and removes into one write for each node above them.

import { type Action, CONFLICT } from '../table/action.ts'
import type { ListSizes } from '../table/client.ts'
import { isNew } from '../table/conditions.ts'
import { childAt, type Deltas, sumOf, withDeltas } from './children.ts'
import { addToInnerNode, addToRoot } from './count-updates.ts'
import type { InnerNode, List, Root } from './list.ts'
import { firstNodes } from './nodes.ts'
import { isOutOfShape, sizesBelow, withoutSplitElsewhere } from './shape.ts'

/** An entry that is added to a list (1) or removed from it (-1). */
export type Step = { list: List; order: string; delta: 1 | -1 }
/** An inner node with the steps that fall into its ranges. */
export type Part = { from: string; node: InnerNode; steps: Step[] }
/** An inner node that has ranges to split or merge after a change. */
export type UnbalancedNode = { list: List; from: string }
export type Plan = { actions: Action[]; unbalanced: UnbalancedNode[] }

/** Plans the count updates for a list whose nodes have been read. */
export function planCounts(list: List, root: Root, parts: Part[], sizes: ListSizes): Plan {
  const inRanges = parts.map(({ from, node, steps }) => ({
    from,
    node,
    deltas: deltasOf(node, steps),
    orders: steps.map(({ order }) => order),
  }))
  const all = parts.flatMap(({ steps }) => steps)
  const own = sizesBelow(root, sizes)
  const inInnerNodes = deltasOf(root, all)
  return {
    actions: [
      ...inRanges.map(({ from, node, deltas, orders }) => addToInnerNode(list, from, node, deltas, orders)),
      ...(inInnerNodes.size > 0 ? [addToRoot(list, root, inInnerNodes)] : []),
    ],
    unbalanced: inRanges
      .filter(({ node, deltas, orders }) => {
        const ranges = withDeltas(node.children, deltas)
        return isOutOfShape(orders.length > 1 ? ranges : withoutSplitElsewhere(ranges, own), own)
      })
      .map(({ from }) => ({ list, from })),
  }
}

/**
 * Creates the nodes of a fixed list for its first entries. Fails with CONFLICT if another write created them.
 */
export function planFirstEntries(list: List, count: number, sizes: ListSizes): Plan {
  const { root, node } = firstNodes(list, count)
  const putRoot: Action = {
    Put: { Item: { ...list.root, ...root }, ...isNew },
    onConditionFailed: CONFLICT,
  }
  const unbalanced = isOutOfShape([{ from: '', count }], sizes) ? [{ list, from: '' }] : []
  return { actions: [putRoot, node], unbalanced }
}

/** The change of each child's count, without the children whose count stays the same. */
function deltasOf({ children }: Root, steps: Step[]): Deltas {
  const byChild = Map.groupBy(steps, ({ order }) => childAt(children, order))
  const sums = [...byChild].map(([n, steps]): [number, number] => [n, sumOf(steps.map(({ delta }) => delta))])
  return new Map(sums.filter(([, sum]) => sum !== 0))
}
