// Checks a counted list: its nodes exist and are in order, and each count is the number of entries below.
import { clearList } from '../../../shared/lists/clear-list.ts'
import { type List, rebalance } from '../../../shared/lists/counted-list.ts'
import type { Root } from '../../../shared/lists/list.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { checkNode } from './list-node.ts'
import { findRoot, isInOrder, listNodes, subjectOf } from './list-read.ts'
import { rebuildList, removeNode } from './list-repair.ts'
import type { Problem } from './problem.ts'

/** A repair writes under conditions, so that it does not undo what the service writes at the same time. */
export function checkList(table: Table, list: List, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const root = await findRoot(table, list)
    const nodes = await listNodes(table, list)
    const after = await findRoot(table, list)
    if (root?.shapeVersion !== after?.shapeVersion) throw new ConditionFailed([CONFLICT])
    if (root && isInOrder(root.children)) return await checkNodes(table, list, root, nodes, repair)
    if (!root && !list.fixed) return await checkRemains(table, list, nodes, repair)
    return await checkRoot(table, list, root, nodes, repair)
  })
}

async function checkNodes(
  table: Table,
  list: List,
  root: Root,
  nodes: string[],
  repair: boolean,
): Promise<Problem[]> {
  const problems: Problem[] = []
  const named = new Set(root.children.map(({ from }) => from))
  for (const from of nodes.filter(from => !named.has(from))) {
    if (repair) await removeNode(table, list, from)
    problems.push(problemOf(list, `has a node starting at "${from}" that its root does not name.`, repair))
  }
  for (const { from } of root.children) {
    for (const problem of await checkNode(table, list, from, repair)) problems.push(problem)
  }
  return problems
}

/** A list whose root is missing or out of order is rebuilt from its entries. */
async function checkRoot(
  table: Table,
  list: List,
  root: Root | undefined,
  nodes: string[],
  repair: boolean,
): Promise<Problem[]> {
  const count = (await ordersWithin(table, list, '', '')).length
  const isUnused = !root && count === 0 && nodes.length === 0
  if (isUnused) return []
  if ((root === undefined) !== ((await findRoot(table, list)) === undefined)) {
    throw new ConditionFailed([CONFLICT])
  }
  if (repair) {
    await rebuildList(table, list, root)
    await rebalance(table, [{ list, from: '' }])
  }
  const message = root ? 'has a root that is out of order' : 'has no root'
  return [problemOf(list, `${message}, and ${count} entries.`, repair)]
}

/** After the record of a list was deleted, the service removes the entries in the background. */
async function checkRemains(table: Table, list: List, nodes: string[], repair: boolean): Promise<Problem[]> {
  const count = (await ordersWithin(table, list, '', '')).length
  if (nodes.length + count === 0) return []
  if (await findRoot(table, list)) throw new ConditionFailed([CONFLICT])
  if (repair) while (await clearList(table, list.name));
  const message = `has ${count} entries left, but its record was deleted. The service may still be removing them.`
  return [problemOf(list, message, repair)]
}

function problemOf(list: List, message: string, isRepaired: boolean): Problem {
  return { subject: subjectOf(list), message, isRepaired }
}
