// Planning what a change of records does to counted lists: entries written, counts changed, as actions.
import { isDeepStrictEqual } from 'node:util'
import { type Action, Refused, STALE } from './action.ts'
import type { Table } from './client.ts'
import { entryKey, middleKey } from './design.ts'
import { childAt, isWithin } from './directory.ts'
import { type List, type Middle, middleSchema, type Root, rootSchema, type Sizes } from './list.ts'
import { countsOf, firstUse, type Part, type Plan, type Step } from './list-counts.ts'

/** Where a record stands in a list, and what the list shows of it. */
export type Place = { list: List; order: string; item: Record<string, unknown> }

type Opened = { list: List; steps: Step[]; root: Root | undefined }

/** Splits and merges can come between two reads; more than this many in a row are no coincidence. */
const ATTEMPTS = 4

/**
 * The actions that take records from the places `before` to the places `after`: for the caller's own
 * transaction, whose conditions on the records make `before` true. At most two round trips. Per list
 * entered or left 3 actions, moved 3 to 5, changed in place 1. Throws Refused: `no-list:<name>` when a
 * list to enter is gone, STALE when its nodes kept changing. `touched` is for `settle`, after the commit.
 */
export const planMoves = async (
  table: Table,
  before: Place[],
  after: Place[],
  sizes: Sizes = table.listSizes,
): Promise<Plan> => {
  const { entries, steps } = difference(before, after)
  if (steps.length === 0) return { actions: entries, touched: [] }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const opened = await openLists(table, steps)
    const known = opened.filter(({ root }) => root)
    const middles = await readMiddles(table, known)
    if (!middles) continue
    const plans = opened.flatMap(({ list, steps, root }) =>
      root
        ? countsOf(list, root, partsOf(list, root, steps, middles), sizes)
        : withoutRoot(list, steps, sizes),
    )
    const actions = [...entries, ...plans.flatMap(plan => plan.actions)]
    return { actions, touched: plans.flatMap(plan => plan.touched) }
  }
  throw new Refused([STALE])
}

/** Entries have no conditions: the record they stand for is conditioned in the same transaction. */
const difference = (before: Place[], after: Place[]): { entries: Action[]; steps: Step[] } => {
  const was = new Map(before.map(place => [idOf(place), place]))
  const is = new Map(after.map(place => [idOf(place), place]))
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

const idOf = ({ list, order }: Place): string => textOf(entryKey(list.name, order))
const textOf = ({ pk, sk }: { pk: string; sk: string }): string => JSON.stringify([pk, sk])

const openLists = async (table: Table, steps: Step[]): Promise<Opened[]> => {
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

/** The middle nodes that the steps count in, or undefined when one is not what its root says. */
const readMiddles = async (table: Table, opened: Opened[]): Promise<Map<string, Middle> | undefined> => {
  const wanted = opened.flatMap(({ list, steps, root }) =>
    steps.map(({ order }) => ({ order, key: middleKey(list.name, fromOf(root, order)) })),
  )
  const keys = new Map(wanted.map(({ key }) => [textOf(key), key]))
  const found = await table.findMany([...keys.values()])
  const middles = new Map(found.map(item => [textOf(item), middleSchema.parse(item)]))
  const isRight = wanted.every(({ order, key }) => {
    const middle = middles.get(textOf(key))
    return middle && isWithin(order, '', middle.until)
  })
  return isRight ? middles : undefined
}

const fromOf = (root: Root | undefined, order: string): string =>
  root?.children[childAt(root.children, order)]?.from ?? ''

const partsOf = (list: List, root: Root, steps: Step[], middles: Map<string, Middle>): Part[] =>
  [...Map.groupBy(steps, ({ order }) => fromOf(root, order))].flatMap(([from, steps]) => {
    const middle = middles.get(textOf(middleKey(list.name, from)))
    return middle ? [{ from, middle, steps }] : []
  })

/** Leaving a list that is gone changes no count; entering begins it where it is a fixed one. */
const withoutRoot = (list: List, steps: Step[], sizes: Sizes): Plan[] => {
  const entered = steps.filter(({ delta }) => delta > 0)
  if (entered.length === 0) return []
  if (!list.fixed) throw new Refused([`no-list:${list.name}`])
  return [firstUse(list, entered.length, sizes)]
}
