// Mending the skeleton of a counted list: its root made again, a node that nothing leads to removed.

import { randomInt } from 'node:crypto'
import type { List } from '../../../shared/lists/counted-list.ts'
import type { Root } from '../../../shared/lists/list.ts'
import {
  firstDirectory,
  removeInnerNode,
  reshapeInnerNode,
  reshapeRoot,
} from '../../../shared/lists/nodes.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { type Action, CONFLICT } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { findNode, findRoot, listNodes } from './list-read.ts'

/** Of a node made anew: no plan can have read it of the one that was there. */
export function newShapeVersion(): number {
  return randomInt(2 ** 32, 2 ** 47)
}

/** One node with one range, whatever was there; `settle` splits it into what a list of this length has. */
export async function beginAnew(table: Table, list: List, was: Root | undefined): Promise<void> {
  const node = await findNode(table, list, '')
  const count = (await ordersWithin(table, list, '', '')).length
  const shapeVersion = newShapeVersion()
  const { root, node: firstNode } = firstDirectory(list, count, { shapeVersion })
  const children = [{ from: '', count }]
  const rootAction: Action = was
    ? reshapeRoot(list, was, children)
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

/** Unless the root names it by now. */
export function removeNode(table: Table, list: List, from: string): Promise<void> {
  return retryOnConflict(async () => {
    const [root, node] = [await findRoot(table, list), await findNode(table, list, from)]
    if (!root || !node || root.children.some(child => child.from === from)) return
    const asRead: Action = {
      onConditionFailed: CONFLICT,
      ConditionCheck: {
        Key: list.root,
        ConditionExpression: '#structure = :structure',
        ExpressionAttributeNames: { '#structure': 'structure' },
        ExpressionAttributeValues: { ':structure': root.shapeVersion },
      },
    }
    await table.transact([asRead, removeInnerNode(list, from, node)])
  })
}
