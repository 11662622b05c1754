// Mending the skeleton of a counted list: its root made again, a node that nothing leads to removed.
import { randomInt } from 'node:crypto'
import { type Action, STALE } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import type { List } from '../../../shared/table/counted-list.ts'
import { deciding } from '../../../shared/table/deciding.ts'
import type { Root } from '../../../shared/table/list.ts'
import { firstDirectory, removeMiddle, reshapeMiddle, reshapeRoot } from '../../../shared/table/list-nodes.ts'
import { ordersWithin } from '../../../shared/table/list-settle.ts'
import { findNode, findRoot, listNodes } from './list-read.ts'

/** Of a node made anew: no plan can have read it of the one that was there. */
export const newStructure = (): number => randomInt(2 ** 32, 2 ** 47)

/** One node with one range, whatever was there; `settle` splits it into what a list of this length has. */
export const beginAnew = async (table: Table, list: List, was: Root | undefined): Promise<void> => {
  const node = await findNode(table, list, '')
  const count = (await ordersWithin(table, list, '', '')).length
  const structure = newStructure()
  const { root, middle } = firstDirectory(list, count, { structure })
  const children = [{ from: '', count }]
  const rootAction: Action = was
    ? reshapeRoot(list, was, children)
    : {
        refused: STALE,
        Put: { Item: { ...list.root, ...root }, ConditionExpression: 'attribute_not_exists(pk)' },
      }
  const nodeAction = node ? reshapeMiddle(list, '', node, { children, until: '', structure }) : middle
  await table.transact([rootAction, nodeAction])
  for (const from of await listNodes(table, list)) await removeNode(table, list, from)
}

/** Unless the root names it by now. */
export const removeNode = (table: Table, list: List, from: string): Promise<void> =>
  deciding(async () => {
    const [root, node] = [await findRoot(table, list), await findNode(table, list, from)]
    if (!root || !node || root.children.some(child => child.from === from)) return
    const asRead: Action = {
      refused: STALE,
      ConditionCheck: {
        Key: list.root,
        ConditionExpression: '#structure = :structure',
        ExpressionAttributeNames: { '#structure': 'structure' },
        ExpressionAttributeValues: { ':structure': root.structure },
      },
    }
    await table.transact([asRead, removeMiddle(list, from, node)])
  })
