// A counted list held against its own entries: every node there and in order, each count what is below it.

import { clearList } from '../../../shared/lists/clear-list.ts'
import { type List, rebalance } from '../../../shared/lists/counted-list.ts'
import type { Root } from '../../../shared/lists/list.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Finding } from './finding.ts'
import { examineNode } from './list-node.ts'
import { findRoot, isInOrder, listNodes, whereIs } from './list-read.ts'
import { beginAnew, removeNode } from './list-repair.ts'

/** What is wrong with the list; mended, where that is asked for, under conditions that leave writers their way. */
export function examineList(table: Table, list: List, isMending: boolean): Promise<Finding[]> {
  return retryOnConflict(async () => {
    const root = await findRoot(table, list)
    const nodes = await listNodes(table, list)
    const after = await findRoot(table, list)
    if (root?.shapeVersion !== after?.shapeVersion) throw new ConditionFailed([CONFLICT])
    if (root && isInOrder(root.children)) return await examineNodes(table, list, root, nodes, isMending)
    if (!root && !list.fixed) return await examineRemains(table, list, nodes, isMending)
    return await examineShape(table, list, root, nodes, isMending)
  })
}

async function examineNodes(
  table: Table,
  list: List,
  root: Root,
  nodes: string[],
  isMending: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const named = new Set(root.children.map(({ from }) => from))
  for (const from of nodes.filter(from => !named.has(from))) {
    if (isMending) await removeNode(table, list, from)
    findings.push(findingOf(list, `has a node from "${from}" on that its root does not name.`, isMending))
  }
  for (const { from } of root.children) {
    for (const finding of await examineNode(table, list, from, isMending)) findings.push(finding)
  }
  return findings
}

/** A list without a root, or with one that leads nowhere, is made again from its entries. */
async function examineShape(
  table: Table,
  list: List,
  root: Root | undefined,
  nodes: string[],
  isMending: boolean,
): Promise<Finding[]> {
  const count = (await ordersWithin(table, list, '', '')).length
  // A list that nobody used yet.
  if (!root && count === 0 && nodes.length === 0) return []
  if ((root === undefined) !== ((await findRoot(table, list)) === undefined)) {
    throw new ConditionFailed([CONFLICT])
  }
  if (isMending) {
    await beginAnew(table, list, root)
    await rebalance(table, [{ list, from: '' }])
  }
  const what = root ? 'has a root that is out of order' : 'has no root'
  return [findingOf(list, `${what}, and ${count} entries.`, isMending)]
}

/** What the service clears away in the background when a list's record is deleted. */
async function examineRemains(
  table: Table,
  list: List,
  nodes: string[],
  isMending: boolean,
): Promise<Finding[]> {
  const count = (await ordersWithin(table, list, '', '')).length
  if (nodes.length + count === 0) return []
  if (await findRoot(table, list)) throw new ConditionFailed([CONFLICT])
  if (isMending) while (await clearList(table, list.name));
  const says = `is gone with its record, but ${count} entries are left. They may be on their way out.`
  return [findingOf(list, says, isMending)]
}

function findingOf(list: List, says: string, isMended: boolean): Finding {
  return {
    where: whereIs(list),
    says,
    isMended,
  }
}
