// Checks a counted list: its nodes exist and are in order, and each count is the number of entries below.
// A repair writes under conditions, so that it does not undo what the service writes at the same time.
import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { type Child, childAt, compareOrder, entriesBelow } from '../../../shared/lists/children.ts'
import { type List, rebalance } from '../../../shared/lists/counted-list.ts'
import { innerNodeSchema, type Root, rootSchema } from '../../../shared/lists/list.ts'
import {
  firstNodes,
  putInnerNode,
  removeInnerNode,
  reshapeInnerNode,
  reshapeRoot,
} from '../../../shared/lists/nodes.ts'
import { clearList, ordersWithin } from '../../../shared/lists/walk.ts'
import { CONFLICT, ConditionFailed, isNew } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { innerNodeKey, listPartition } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Problem } from './compare.ts'

export async function checkList(table: Table, list: List, repair: boolean): Promise<Problem[]> {
  const problem = await checkRoot(table, list, repair)
  if (problem) return [problem]
  const stored = await listNodes(table, list)
  const named = (await table.find(list.root, rootSchema))?.children.map(({ from }) => from) ?? []
  const problems: Problem[] = []
  for (const from of new Set([...stored, ...named])) {
    const problem = await checkNode(table, list, from, repair)
    if (problem) problems.push(problem)
  }
  return problems
}

/** Without a root that is in order nothing is known of the nodes. */
function checkRoot(table: Table, list: List, repair: boolean): Promise<Problem | undefined> {
  return retryOnConflict(async () => {
    const root = await table.find(list.root, rootSchema)
    if (root && isInOrder(root.children)) return undefined
    const nodes = await listNodes(table, list)
    const count = (await ordersWithin(table, list, { from: '', until: '' })).length
    if (!root && count + nodes.length === 0) return undefined
    const after = await table.find(list.root, rootSchema)
    if (root?.shapeVersion !== after?.shapeVersion) throw new ConditionFailed([CONFLICT])
    if (!root && !list.fixed) {
      // After the record of a list was deleted, the service removes the entries in the background.
      if (repair) while (await clearList(table, list.name));
      const message = `has ${count} entries left, but its record was deleted. The service may still be removing them.`
      return problemOf(list, message, repair)
    }
    if (repair) await rebuildList(table, list, root, count)
    const message = root ? 'has a root that is out of order' : 'has no root'
    return problemOf(list, `${message}, and ${count} entries.`, repair)
  })
}

/** Writes a root with one node. The check of that node then writes it, and splits it if it is too long. */
async function rebuildList(
  table: Table,
  list: List,
  damaged: Root | undefined,
  count: number,
): Promise<void> {
  const { root } = firstNodes(list, count, { shapeVersion: newShapeVersion() })
  await table.write(
    damaged
      ? reshapeRoot(list, damaged, [{ from: '', count }])
      : { onConditionFailed: CONFLICT, Put: { Item: { ...list.root, ...root }, ...isNew } },
  )
  const others = (await listNodes(table, list)).filter(from => from !== '')
  for (const from of [...others, '']) await checkNode(table, list, from, true)
}

const SortKey = z.object({ sk: z.string() })

/** The starts of all inner nodes that exist. */
async function listNodes(table: Table, list: List): Promise<string[]> {
  const prefix = innerNodeKey(list.name, '').sk
  const found = await table.query({ pk: listPartition(list.name), beginsWith: prefix, only: ['sk'] }, SortKey)
  return found.map(({ sk }) => sk.slice(prefix.length))
}

/** Whether the first child starts at `from`, and each one after the one before it. */
function isInOrder(children: Child[], from = ''): boolean {
  return (
    children[0]?.from === from &&
    children.every((child, n) => n === 0 || compareOrder(children[n - 1]?.from ?? '', child.from) < 0)
  )
}

/**
 * Every write of an entry increments `writes` of its node. If that did not change, the entries and counts
 * that were read existed at one moment.
 */
function checkNode(table: Table, list: List, from: string, repair: boolean): Promise<Problem | undefined> {
  return retryOnConflict(async () => {
    const key = innerNodeKey(list.name, from)
    const node = await table.find(key, innerNodeSchema)
    const root = await table.find(list.root, rootSchema)
    const at = root?.children.findIndex(child => child.from === from) ?? -1
    // A merge removes the node, and its name from the root.
    if (!root || (at < 0 && !node)) return undefined
    const until = root.children[at + 1]?.from ?? ''
    const orders = at < 0 ? [] : await ordersWithin(table, list, { from, until })
    const after = await table.find(key, innerNodeSchema)
    if (node?.shapeVersion !== after?.shapeVersion || node?.writes !== after?.writes) {
      throw new ConditionFailed([CONFLICT])
    }
    const part = from === '' ? '' : ` starting at "${from}"`
    if (at < 0 && node) {
      const unchanged = reshapeRoot(list, root, root.children)
      if (repair) await table.transact([unchanged, removeInnerNode(list, from, node)])
      return problemOf(list, `has a node${part} that its root does not name.`, repair)
    }
    const count = orders.length
    const isShaped = node !== undefined && node.until === until && isInOrder(node.children, from)
    const children = isShaped ? recounted(node.children, orders) : [{ from, count }]
    const inRoot = root.children[at]?.count ?? 0
    const isRight = isShaped && children.every((child, n) => child.count === node.children[n]?.count)
    if (isRight && inRoot === count) return undefined

    if (repair) {
      const current = { children, until, shapeVersion: node ? node.shapeVersion + 1 : newShapeVersion() }
      const inRoots = root.children.map((child, n) => (n === at ? { from, count } : child))
      await table.transact([
        reshapeRoot(list, root, inRoots),
        node ? reshapeInnerNode(list, from, node, current) : putInnerNode(list, from, current),
      ])
      await rebalance(table, [{ list, from }])
    }
    const inNode = node && entriesBelow(node.children)
    const message = isShaped
      ? `has ${count} entries below its node${part}, but its root counts ${inRoot} and the node ${inNode}.`
      : `its node${part} is ${node ? 'out of order' : 'missing'}, with ${count} entries below it.`
    return problemOf(list, message, repair)
  })
}

function recounted(ranges: Child[], orders: string[]): Child[] {
  const ordersOf = Map.groupBy(orders, order => childAt(ranges, order))
  return ranges.map(({ from }, n) => ({ from, count: ordersOf.get(n)?.length ?? 0 }))
}

/** Random, so that no plan of a concurrent writer has the version of the node that is replaced. */
function newShapeVersion(): number {
  return randomInt(2 ** 32, 2 ** 47)
}

function problemOf({ name }: List, message: string, isRepaired: boolean): Problem {
  return { subject: `list ${name}`, message, isRepaired }
}
