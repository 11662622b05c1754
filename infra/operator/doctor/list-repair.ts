// Repairs the nodes of a counted list: rebuilds them from its entries, or removes one that is not in use.
import { randomInt } from 'node:crypto'
import type { List } from '../../../shared/lists/counted-list.ts'
import type { Root } from '../../../shared/lists/list.ts'
import { firstNodes, removeInnerNode, reshapeInnerNode, reshapeRoot } from '../../../shared/lists/nodes.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { type Action, CONFLICT } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { findNode, findRoot, listNodes } from './list-read.ts'

/** Random, so that no plan of a concurrent writer has the version of the node that is replaced. */
export function newShapeVersion(): number {
  return randomInt(2 ** 32, 2 ** 47)
}

/** Replaces the nodes with one that has one range. `rebalance` then splits it as the length requires. */
export async function rebuildList(table: Table, list: List, damaged: Root | undefined): Promise<void> {
  const node = await findNode(table, list, '')
  const count = (await ordersWithin(table, list, '', '')).length
  const shapeVersion = newShapeVersion()
  const { root, node: firstNode } = firstNodes(list, count, { shapeVersion })
  const children = [{ from: '', count }]
  const rootAction: Action = damaged
    ? reshapeRoot(list, damaged, children)
    : {
        onConditionFailed: CONFLICT,
        Put: { Item: { ...list.root, ...root }, ...isNew },
      }
  const nodeAction = node
    ? reshapeInnerNode(list, '', node, { children, until: '', shapeVersion })
    : firstNode
  await table.transact([rootAction, nodeAction])
  for (const from of await listNodes(table, list)) await removeNode(table, list, from)
}

/** Does nothing if the root names the node. */
export function removeNode(table: Table, list: List, from: string): Promise<void> {
  return retryOnConflict(async () => {
    const [root, node] = [await findRoot(table, list), await findNode(table, list, from)]
    if (!root || !node || root.children.some(child => child.from === from)) return
    const ifUnchanged: Action = {
      onConditionFailed: CONFLICT,
      ConditionCheck: {
        Key: list.root,
        ConditionExpression: '#shape_version = :shape_version',
        ExpressionAttributeNames: { '#shape_version': 'shape_version' },
        ExpressionAttributeValues: { ':shape_version': root.shapeVersion },
      },
    }
    await table.transact([ifUnchanged, removeInnerNode(list, from, node)])
  })
}
