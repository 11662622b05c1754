// Plans how a change of records changes counted lists: which entries to write and which counts to update.
import { isDeepStrictEqual } from 'node:util'
import { type Action, CONFLICT, ConditionFailed } from '../table/action.ts'
import { setMembers } from '../table/change.ts'
import type { ListSizes, Table } from '../table/client.ts'
import { entryKey } from '../table/design.ts'
import { type Part, type Plan, planCounts, planFirstEntries, type Step } from './counts.ts'
import type { List, Root } from './list.ts'
import { type NodeItems, type Nodes, readNodes, startOf } from './read-nodes.ts'

/** A record's entry in a list: its order key, and the item that the list shows. */
export type ListEntry = { list: List; order: string; item: Record<string, unknown> }

/** A split or merge between two reads makes a plan start again, at most this often. */
const ATTEMPTS = 4

/**
 * Plans a change of entries, usually after one round trip: 3 actions for one added or removed, 3 to 5 for one
 * moved, 1 for one changed. Throws ConditionFailed: `no-list:<name>` for a deleted list, else CONFLICT.
 */
export async function planListChanges(
  table: Table,
  before: ListEntry[],
  after: ListEntry[],
  sizes: ListSizes = table.listSizes,
  ahead?: NodeItems,
): Promise<Plan> {
  const { entries, steps } = difference(before, after)
  if (steps.length === 0) return { actions: entries, unbalanced: [] }
  const lists = new Map(steps.map(({ list }) => [list.name, list]))
  const byName = Map.groupBy(steps, ({ list }) => list.name)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const nodes = await readNodes(table, steps, attempt === 0 ? ahead : undefined)
    if (!nodes) continue
    const plans = [...lists].flatMap(([name, list]) => {
      const steps = byName.get(name) ?? []
      const root = nodes.roots.get(name)
      return root
        ? planCounts(list, root, partsOf(nodes, list, root, steps), sizes)
        : withoutRoot(list, steps, sizes)
    })
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
  const { pk, sk } = entryKey(list.name, order)
  return JSON.stringify([pk, sk])
}

function partsOf({ innerNodeOf }: Nodes, list: List, root: Root, steps: Step[]): Part[] {
  return [...Map.groupBy(steps, ({ order }) => startOf(root, order))].flatMap(([from, steps]) => {
    const node = innerNodeOf(list, from)
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
