// Plans how a change of records changes counted lists: which entries to write and which counts to update.
import { isDeepStrictEqual } from 'node:util'
import { type Action, CONFLICT, ConditionFailed } from '../table/action.ts'
import type { ListSizes, Table } from '../table/client.ts'
import { entryKey, innerNodeKey } from '../table/design.ts'
import { childAt, isWithin } from './children.ts'
import { type Part, type Plan, planCounts, planFirstEntries, type Step } from './counts.ts'
import { type InnerNode, innerNodeSchema, type List, type Root, rootSchema } from './list.ts'

/** A record's entry in a list: its order key, and the item that the list shows. */
export type ListEntry = { list: List; order: string; item: Record<string, unknown> }

type ListSteps = { list: List; steps: Step[]; root: Root | undefined }

/** A split or merge between two reads makes a plan start again, at most this often. */
const ATTEMPTS = 4

/**
 * Plans a change of entries in at most two round trips: 3 actions for one added or removed, 3 to 5 for one
 * moved, 1 for one changed. Throws ConditionFailed: `no-list:<name>` for a deleted list, else CONFLICT.
 */
export async function planListChanges(
  table: Table,
  before: ListEntry[],
  after: ListEntry[],
  sizes: ListSizes = table.listSizes,
): Promise<Plan> {
  const { entries, steps } = difference(before, after)
  if (steps.length === 0) return { actions: entries, unbalanced: [] }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const lists = await readRoots(table, steps)
    const existing = lists.filter(({ root }) => root)
    const innerNodes = await readInnerNodes(table, existing)
    if (!innerNodes) continue
    const plans = lists.flatMap(({ list, steps, root }) =>
      root
        ? planCounts(list, root, partsOf(list, root, steps, innerNodes), sizes)
        : withoutRoot(list, steps, sizes),
    )
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
    entries.push({ Put: { Item: { ...entryKey(list.name, order), item } } })
    if (!old) steps.push({ list, order, delta: 1 })
  }
  return { entries, steps }
}

function idOf({ list, order }: ListEntry): string {
  return textOf(entryKey(list.name, order))
}

function textOf({ pk, sk }: { pk: string; sk: string }): string {
  return JSON.stringify([pk, sk])
}

async function readRoots(table: Table, steps: Step[]): Promise<ListSteps[]> {
  const byName = Map.groupBy(steps, ({ list }) => list.name)
  const lists = new Map(steps.map(({ list }) => [list.name, list]))
  const found = await table.findMany([...lists.values()].map(({ root }) => root))
  const roots = new Map(found.map(item => [textOf(item), rootSchema.parse(item)]))
  return [...lists.values()].map(list => ({
    list,
    steps: byName.get(list.name) ?? [],
    root: roots.get(textOf(list.root)),
  }))
}

/**
 * Reads the inner nodes of all steps. Returns undefined if one was split or merged since its root was read.
 */
async function readInnerNodes(table: Table, lists: ListSteps[]): Promise<Map<string, InnerNode> | undefined> {
  const wanted = lists.flatMap(({ list, steps, root }) =>
    steps.map(({ order }) => ({ order, key: innerNodeKey(list.name, fromOf(root, order)) })),
  )
  const keys = new Map(wanted.map(({ key }) => [textOf(key), key]))
  const found = await table.findMany([...keys.values()])
  const innerNodes = new Map(found.map(item => [textOf(item), innerNodeSchema.parse(item)]))
  const isRight = wanted.every(({ order, key }) => {
    const node = innerNodes.get(textOf(key))
    return node && isWithin(order, '', node.until)
  })
  return isRight ? innerNodes : undefined
}

function fromOf(root: Root | undefined, order: string): string {
  return root?.children[childAt(root.children, order)]?.from ?? ''
}

function partsOf(list: List, root: Root, steps: Step[], innerNodes: Map<string, InnerNode>): Part[] {
  return [...Map.groupBy(steps, ({ order }) => fromOf(root, order))].flatMap(([from, steps]) => {
    const node = innerNodes.get(textOf(innerNodeKey(list.name, from)))
    return node ? [{ from, node, steps }] : []
  })
}

/** Without a root, a removal changes no count, and an addition creates the list if it is a fixed one. */
function withoutRoot(list: List, steps: Step[], sizes: ListSizes): Plan[] {
  const added = steps.filter(({ delta }) => delta > 0)
  if (added.length === 0) return []
  if (!list.fixed) throw new ConditionFailed([`no-list:${list.name}`])
  return [planFirstEntries(list, added.length, sizes)]
}
