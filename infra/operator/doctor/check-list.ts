// Checks a counted list: its nodes exist and are in order, and each count is the number of entries below.
// A repair writes under conditions, so that it does not undo what the service writes at the same time.
import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { type Child, childAt, compareOrder, entriesBelow } from '../../../shared/lists/children.ts'
import { type List, rebalance } from '../../../shared/lists/counted-list.ts'
import { type InnerNode, innerNodeSchema, type Root, rootSchema } from '../../../shared/lists/list.ts'
import {
  firstNodes,
  putInnerNode,
  removeInnerNode,
  reshapeInnerNode,
  reshapeRoot,
} from '../../../shared/lists/nodes.ts'
import { ordersWithin } from '../../../shared/lists/rebalance.ts'
import { clearList } from '../../../shared/lists/walk.ts'
import { type Action, CONFLICT, ConditionFailed, isNew } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { innerNodeKey, listPartition } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Problem } from './expectations.ts'

export function checkList(table: Table, list: List, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const root = await findRoot(table, list)
    const nodes = await listNodes(table, list)
    const after = await findRoot(table, list)
    if (root?.shapeVersion !== after?.shapeVersion) throw new ConditionFailed([CONFLICT])
    if (root && isInOrder(root.children)) return await checkNodes(table, list, { root, nodes, repair })
    const count = (await ordersWithin(table, list, '', '')).length
    const isUnused = !root && count + nodes.length === 0
    if (isUnused) return []
    if ((root === undefined) !== ((await findRoot(table, list)) === undefined)) {
      throw new ConditionFailed([CONFLICT])
    }
    if (!root && !list.fixed) {
      // After the record of a list was deleted, the service removes the entries in the background.
      if (repair) while (await clearList(table, list.name));
      const message = `has ${count} entries left, but its record was deleted. The service may still be removing them.`
      return [problemOf(list, message, repair)]
    }
    if (repair) await rebuildList(table, list, root)
    const message = root ? 'has a root that is out of order' : 'has no root'
    return [problemOf(list, `${message}, and ${count} entries.`, repair)]
  })
}

/** Throws ZodError for an item that is not a root. */
function findRoot(table: Table, list: List): Promise<Root | undefined> {
  return table.find(list.root, rootSchema)
}

function findNode(table: Table, list: List, from: string): Promise<InnerNode | undefined> {
  return table.find(innerNodeKey(list.name, from), innerNodeSchema)
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

type ReadList = { root: Root; nodes: string[]; repair: boolean }

async function checkNodes(table: Table, list: List, { root, nodes, repair }: ReadList): Promise<Problem[]> {
  const named = new Set(root.children.map(({ from }) => from))
  const problems: Problem[] = []
  for (const from of nodes.filter(from => !named.has(from))) {
    if (repair) await removeNode(table, list, from)
    problems.push(problemOf(list, `has a node starting at "${from}" that its root does not name.`, repair))
  }
  for (const { from } of root.children) {
    const problem = await checkNode(table, list, from, repair)
    if (problem) problems.push(problem)
  }
  return problems
}

/**
 * Every write of an entry increments `writes` of its node. If that did not change, the entries and counts
 * that were read existed at one moment.
 */
function checkNode(table: Table, list: List, from: string, repair: boolean): Promise<Problem | undefined> {
  return retryOnConflict(async () => {
    const node = await findNode(table, list, from)
    const root = await findRoot(table, list)
    const at = root?.children.findIndex(child => child.from === from) ?? -1
    const wasMerged = !root || at < 0
    if (wasMerged) return undefined
    const until = root.children[at + 1]?.from ?? ''
    const orders = await ordersWithin(table, list, from, until)
    const after = await findNode(table, list, from)
    if (node?.shapeVersion !== after?.shapeVersion || node?.writes !== after?.writes) {
      throw new ConditionFailed([CONFLICT])
    }
    const count = orders.length
    const isShaped = node !== undefined && node.until === until && isInOrder(node.children, from)
    const children = isShaped ? recounted(node.children, orders) : [{ from, count }]
    const inRoot = root.children[at]?.count ?? 0
    const isRight = isShaped && children.every((child, n) => child.count === node.children[n]?.count)
    if (isRight && inRoot === count) return undefined

    if (repair) {
      const current = { children, until, shapeVersion: node ? node.shapeVersion + 1 : newShapeVersion() }
      await table.transact([
        reshapeRoot(
          list,
          root,
          root.children.map((child, n) => (n === at ? { from, count } : child)),
        ),
        node ? reshapeInnerNode(list, from, node, current) : putInnerNode(list, from, current),
      ])
      await rebalance(table, [{ list, from }])
    }
    const inNode = node && entriesBelow(node.children)
    const message = messageOf({ from, isShaped, count, inRoot, inNode })
    const found = { root: inRoot, node: inNode ?? null }
    return { ...problemOf(list, message, repair), expected: count, found }
  })
}

function recounted(ranges: Child[], orders: string[]): Child[] {
  const counts = new Map<number, number>()
  for (const order of orders) {
    const n = childAt(ranges, order)
    counts.set(n, (counts.get(n) ?? 0) + 1)
  }
  return ranges.map(({ from }, n) => ({ from, count: counts.get(n) ?? 0 }))
}

/** `count` is the number of entries; `inRoot` and `inNode` are the counts that the root and the node have. */
type NodeCounts = {
  from: string
  isShaped: boolean
  count: number
  inRoot: number
  inNode: number | undefined
}

function messageOf({ from, isShaped, count, inRoot, inNode }: NodeCounts): string {
  const part = from === '' ? '' : ` starting at "${from}"`
  if (inNode === undefined) return `its node${part} is missing, with ${count} entries below it.`
  if (!isShaped) return `its node${part} is out of order, with ${count} entries below it.`
  return `has ${count} entries below its node${part}, but its root counts ${inRoot} and the node ${inNode}.`
}

/** Random, so that no plan of a concurrent writer has the version of the node that is replaced. */
function newShapeVersion(): number {
  return randomInt(2 ** 32, 2 ** 47)
}

/** Replaces the nodes with one that has one range, and splits it as the length requires. */
async function rebuildList(table: Table, list: List, damaged: Root | undefined): Promise<void> {
  const node = await findNode(table, list, '')
  const count = (await ordersWithin(table, list, '', '')).length
  const shapeVersion = newShapeVersion()
  const { root, node: firstNode } = firstNodes(list, count, { shapeVersion })
  const children = [{ from: '', count }]
  const newRoot: Action = { onConditionFailed: CONFLICT, Put: { Item: { ...list.root, ...root }, ...isNew } }
  await table.transact([
    damaged ? reshapeRoot(list, damaged, children) : newRoot,
    node ? reshapeInnerNode(list, '', node, { children, until: '', shapeVersion }) : firstNode,
  ])
  for (const from of await listNodes(table, list)) await removeNode(table, list, from)
  await rebalance(table, [{ list, from: '' }])
}

/** Does nothing if the root names the node. */
function removeNode(table: Table, list: List, from: string): Promise<void> {
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

function problemOf({ name }: List, message: string, isRepaired: boolean): Problem {
  return { subject: `list ${name}`, message, isRepaired }
}
