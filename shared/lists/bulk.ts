// Many changes of the same lists one after the other, as of an import: nodes are read once, and split later.
import type { Table } from '../table/client.ts'
import type { UnbalancedNode } from './counts.ts'
import type { ListEntry } from './plan.ts'
import { type NodeItems, readNodes, readProbableNodes, startOf } from './read-nodes.ts'
import { rebalance } from './rebalance.ts'
import { isOutOfShape, sizesBelow } from './shape.ts'
import type { ListChange } from './write.ts'

/** A bulk write splits many ranges at once, and no client waits for its answer. */
const DEADLINE_MS = 10_000

export type BulkLists = ReturnType<typeof openBulkLists>

/**
 * Only counts of the remembered nodes are outdated by other changes, and a plan uses none: it fails with
 * CONFLICT if a node was split or merged. Then call `forget`, and plan again.
 */
export function openBulkLists(table: Table) {
  let nodes: NodeItems = new Map()
  let unsettled: ListEntry[] = []

  const forget = (): void => {
    nodes = new Map()
  }

  /** The list change of one transaction. */
  const add = async (after: ListEntry[]): Promise<ListChange> => {
    // The second call reads the inner nodes that the roots name, if the first one had to read roots.
    for (const _ of ['roots', 'inner nodes']) nodes = await readProbableNodes(table, after, nodes)
    return { after, ahead: nodes, isBulk: true }
  }

  /** Call after the transaction was written. */
  const added = (after: ListEntry[]): void => {
    for (const entry of after) unsettled.push(entry)
    // A list that did not exist does now.
    nodes = new Map([...nodes].filter(([, node]) => node !== undefined))
  }

  /** Splits the nodes that the entries have made too large. */
  const settle = async (): Promise<void> => {
    const entries = unsettled
    unsettled = []
    forget()
    await rebalance(table, await unbalancedBy(table, entries), table.listSizes, DEADLINE_MS)
  }
  return { add, added, forget, settle }
}

async function unbalancedBy(table: Table, entries: ListEntry[]): Promise<UnbalancedNode[]> {
  // Undefined if another writer splits a node between its two reads.
  const nodes = (await readNodes(table, entries)) ?? (await readNodes(table, entries))
  const places = new Map(
    entries.flatMap(({ list, order }) => {
      const root = nodes?.roots.get(list.name)
      const from = root && startOf(root, order)
      return from === undefined ? [] : [[JSON.stringify([list.name, from]), { list, from }] as const]
    }),
  )
  return [...places.values()].filter(({ list, from }) => {
    const [root, node] = [nodes?.roots.get(list.name), nodes?.innerNodeOf(list, from)]
    return root && node && isOutOfShape(node.children, sizesBelow(root, table.listSizes))
  })
}
