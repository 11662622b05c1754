// A change of counted lists: reads the nodes above its entries, plans the writes of entries and counts for
// the transaction of the records, and splits or merges nodes after it.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { type Action, CONFLICT, ConditionFailed, isNew, setMembers } from '../table/action.ts'
import type { ListSizes, Table } from '../table/client.ts'
import { entryKey, innerNodeKey, type Key } from '../table/design.ts'
import { childAt, compareOrder, type Deltas, isWithin, sumOf, withDeltas } from './children.ts'
import { type InnerNode, innerNodeSchema, type List, type Root, rootSchema } from './list.ts'
import { addToInnerNode, addToRoot, firstNodes } from './nodes.ts'
import { rebalance, type UnbalancedNode } from './rebalance.ts'
import { isOutOfShape, sizesOf } from './shape.ts'

/** A record's entry in a list: its order key, and the item that the list shows. */
export type ListEntry = { list: List; order: string; item: Record<string, unknown> }
/** The entries of the changed records, as they are and as they are to be. */
export type ListChange = { before?: ListEntry[]; after?: ListEntry[] }
export type Plan = { actions: Action[]; unbalanced: UnbalancedNode[] }

/** An entry that is added to a list (1) or removed from it (-1). */
type Step = { list: List; order: string; delta: 1 | -1 }
/** An inner node with the steps that fall into its ranges. */
type Part = { from: string; node: InnerNode; steps: Step[] }
/** A list with the steps of a change. Without a root it does not exist. */
type ChangedList = { list: List; steps: Step[]; root: Root | undefined; parts: Part[] }

/**
 * Plans the change, hands its actions to `write`, which puts them into one transaction with the records, and
 * then splits or merges the nodes that need it. Throws ConditionFailed as `planListChanges` does.
 */
export async function writeWithLists(
  table: Table,
  { before = [], after = [] }: ListChange,
  write: (listActions: Action[]) => Promise<void>,
): Promise<void> {
  const { actions, unbalanced } = await planListChanges(table, before, after)
  await write(actions)
  await rebalance(table, unbalanced)
}

/** A split or merge between two reads makes a plan start again, at most this often. */
const ATTEMPTS = 4

/**
 * At most 3 actions for an entry that is added or removed, 5 for one that moves, 1 for one that changes.
 * Throws ConditionFailed: `no-list:<name>` for a deleted list, else CONFLICT.
 */
export async function planListChanges(table: Table, before: ListEntry[], after: ListEntry[]): Promise<Plan> {
  const { entries, steps } = difference(before, after)
  if (steps.length === 0) return { actions: entries, unbalanced: [] }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const lists = await readNodes(table, steps)
    if (!lists) continue
    const plans = lists.map(changed => planCounts(changed, table.listSizes))
    const actions = [...entries, ...plans.flatMap(plan => plan.actions)]
    return { actions, unbalanced: plans.flatMap(plan => plan.unbalanced) }
  }
  throw new ConditionFailed([CONFLICT])
}

/** Entries need no condition: the condition of their record is in the same transaction. */
function difference(before: ListEntry[], after: ListEntry[]): { entries: Action[]; steps: Step[] } {
  const was = new Map(before.map(entry => [idOf(entry), entry]))
  const is = new Map(after.map(entry => [idOf(entry), entry]))
  const entries: Action[] = []
  const steps: Step[] = []
  for (const [id, { list, order }] of was) {
    if (is.has(id)) continue
    entries.push({ Delete: { Key: entryKey(list.name, order) } })
    steps.push({ list, order, delta: -1 })
  }
  for (const [id, { list, order, item }] of is) {
    const old = was.get(id)
    if (old && isDeepStrictEqual(old.item, item)) continue
    const Key = entryKey(list.name, order)
    entries.push(old ? { Update: { Key, ...setMembers({ item }) } } : { Put: { Item: { ...Key, item } } })
    if (!old) steps.push({ list, order, delta: 1 })
  }
  return { entries, steps }
}

function idOf({ list, order }: ListEntry): string {
  return keyText(entryKey(list.name, order))
}

/**
 * Reads roots and inner nodes side by side. Undefined if they do not belong together: a split or merge came
 * between the reads.
 */
async function readNodes(table: Table, steps: Step[]): Promise<ChangedList[] | undefined> {
  const byList = [...Map.groupBy(steps, ({ list }) => list.name).values()]
  const lists = byList.flatMap(steps => (steps[0] ? [{ list: steps[0].list, steps }] : []))
  const [roots, partsOf] = await Promise.all([
    table.findMany(lists.map(({ list }) => list.root)),
    Promise.all(lists.map(({ list, steps }) => readInnerNodes(table, list, steps))),
  ])
  const rootOf = new Map(roots.map(item => [keyText(item), rootSchema.parse(item)]))
  const changed = lists.map(({ list, steps }, n) => {
    const root = rootOf.get(keyText(list.root))
    return { list, steps, root, parts: (root && partsOf[n]) ?? [] }
  })
  return changed.every(belongsTogether) ? changed : undefined
}

/**
 * The inner node of an order key is the last one that starts at or before it. One query for each node, from
 * the last one on: usually one, as most changes have a single step in a list.
 */
async function readInnerNodes(table: Table, list: List, steps: Step[]): Promise<Part[]> {
  const parts: Part[] = []
  let rest = steps.toSorted((a, b) => compareOrder(b.order, a.order))
  for (;;) {
    const [last] = rest
    if (!last) return parts
    const { pk, sk: to } = innerNodeKey(list.name, last.order)
    const first = innerNodeKey(list.name, '').sk
    const [item] = await table.query({ pk, from: first, to, descending: true, limit: 1 }, StoredNode)
    if (!item) return parts
    const from = item.sk.slice(first.length)
    const inside = rest.filter(({ order }) => isWithin(order, from, ''))
    parts.push({ from, node: innerNodeSchema.parse(item), steps: inside })
    rest = rest.slice(inside.length)
  }
}

const StoredNode = z.looseObject({ sk: z.string() })

function belongsTogether({ steps, root, parts }: ChangedList): boolean {
  if (!root) return true
  const startOf = (order: string) => root.children[childAt(root.children, order)]?.from
  const found = parts.flatMap(part => part.steps).length
  return (
    found === steps.length &&
    parts.every(({ from, node, steps }) =>
      steps.every(({ order }) => startOf(order) === from && isWithin(order, '', node.until)),
    )
  )
}

function keyText({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}

/** One write for each node above the entries. */
function planCounts({ list, steps, root, parts }: ChangedList, sizes: ListSizes): Plan {
  if (!root) return planFirstEntries(list, steps, sizes)
  const inRanges = parts.map(({ from, node, steps }) => ({
    from,
    node,
    deltas: deltasOf(node, steps),
    orders: steps.map(({ order }) => order),
  }))
  const own = sizesOf(list, root.children.length, sizes)
  const inInnerNodes = deltasOf(root, steps)
  return {
    actions: [
      ...inRanges.map(({ from, node, deltas, orders }) => addToInnerNode(list, from, node, deltas, orders)),
      ...(inInnerNodes.size > 0 ? [addToRoot(list, root, inInnerNodes)] : []),
    ],
    unbalanced: inRanges
      .filter(({ node, deltas }) => isOutOfShape(withDeltas(node.children, deltas), own))
      .map(({ from }) => ({ list, from })),
  }
}

/**
 * Without a root, a removal changes no count, and an addition creates the nodes of the list if it is a fixed
 * one. That fails with CONFLICT if another write created them.
 */
function planFirstEntries(list: List, steps: Step[], sizes: ListSizes): Plan {
  const count = steps.filter(({ delta }) => delta > 0).length
  if (count === 0) return { actions: [], unbalanced: [] }
  if (!list.fixed) throw new ConditionFailed([`no-list:${list.name}`])
  const { root, node } = firstNodes(list, count)
  const putRoot: Action = {
    Put: { Item: { ...list.root, ...root }, ...isNew },
    onConditionFailed: CONFLICT,
  }
  const unbalanced = isOutOfShape([{ from: '', count }], sizesOf(list, 1, sizes)) ? [{ list, from: '' }] : []
  return { actions: [putRoot, node], unbalanced }
}

/** The change of each child's count, without the children whose count stays the same. */
function deltasOf({ children }: Root, steps: Step[]): Deltas {
  const byChild = Map.groupBy(steps, ({ order }) => childAt(children, order))
  const sums = [...byChild].map(([n, steps]): [number, number] => [n, sumOf(steps.map(({ delta }) => delta))])
  return new Map(sums.filter(([, sum]) => sum !== 0))
}
