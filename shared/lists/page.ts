// Reads any page of a counted list by its number, in at most five round trips.
import type * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { entryKey, innerNodeKey, orderIn } from '../table/design.ts'
import { readConsistently } from '../table/retrying.ts'
import {
  type Bounds,
  childAt,
  compareOrder,
  entriesBelow,
  isWithin,
  locate,
  type Position,
  withoutHidden,
} from './children.ts'
import { innerNodeSchema, type List, type Root, rootSchema } from './list.ts'
import { Entry, nextOf, ordersWithin, spanWithin } from './walk.ts'

/**
 * What must not be shown: the entries with the order keys `hidden`, or all that sort after `below`. `above`
 * is how many these are; undefined stands for too many to know, so that they are counted.
 */
export type ListPageQuery = { list: List; page: number; perPage: number } & (
  | { hidden?: Promise<string[]>; below?: undefined; above?: undefined }
  | { hidden?: undefined; below: string; above: Promise<number | undefined> }
)

const WHOLE: Bounds = { from: '', until: '' }

/** The root, and what readers must not see: the keys of hidden entries, or the number above `below`. */
type Visibility = { root: Root; hidden: string[]; above: number; total: number }

/**
 * `last`: the order key of the last item. `hasMore`: whether entries follow, even those that were added after
 * the total was read. Missing where one more read would tell, and without items.
 */
export type ListPage<T> = {
  items: T[]
  total: number
  last: string | undefined
  hasMore?: boolean | undefined
}

/**
 * One page and the exact total of visible entries. Page 1 takes one round trip (three with hidden entries), a
 * page past the end one, any other three: root, inner node, entries. Two more if hidden entries are counted.
 */
export async function listPage<T>(
  table: Table,
  query: ListPageQuery,
  schema: z.ZodMiniType<T>,
): Promise<ListPage<T>> {
  const { items, ...page } = await pageOf(table, query)
  const last = items.at(-1)
  return { items: items.map(({ item }) => schema.parse(item)), last: last && orderIn(last.sk), ...page }
}

async function pageOf(table: Table, query: ListPageQuery): Promise<Omit<ListPage<Entry>, 'last'>> {
  const { list, page, perPage, below } = query
  const first = page === 1 ? table.query(spanWithin(list, WHOLE, below, perPage), Entry) : undefined
  // A split or merge between two reads makes the reader start again.
  return await readConsistently(`The list ${list.name}`, table, async table => {
    const [visibility, head] = await Promise.all([visibilityOf(table, query), first])
    if (visibility === null) return { items: [], total: 0 }
    if (visibility === undefined) return undefined
    const { total } = visibility
    const visible = head && visibleOf(list, head, visibility.hidden)
    if (visible && (visible.length === head.length || head.length < perPage)) {
      const isEnd = head.length < perPage
      return { items: visible, total, hasMore: total > perPage || (isEnd ? false : undefined) }
    }
    if ((page - 1) * perPage >= total) return { items: [], total }
    const found = await pageInside(table, query, visibility)
    if (!found) return undefined
    const hasMore = page * perPage < total || found.length > perPage
    return { items: found.slice(0, perPage), total, hasMore }
  })
}

/** Null for a list that does not exist. Undefined if a node was split or merged since the root was read. */
async function visibilityOf(table: Table, query: ListPageQuery): Promise<Visibility | null | undefined> {
  const { list, below } = query
  const [root, hidden, known] = await Promise.all([
    table.find(list.root, rootSchema),
    query.hidden ?? [],
    query.above,
  ])
  if (!root) return null
  const above = below === undefined ? 0 : (known ?? (await countFrom(table, list, root, nextOf(below))))
  if (above === undefined) return undefined
  return { root, hidden, above, total: Math.max(0, entriesBelow(root.children) - hidden.length - above) }
}

/**
 * Counts the entries from a key on, such as the posts that are not yet due. Two round trips. Undefined if the
 * node of the key was split or merged since the root was read.
 */
async function countFrom(
  table: Table,
  list: List,
  { children }: Root,
  key: string,
): Promise<number | undefined> {
  const nodeAt = childAt(children, key)
  const [child, next] = children.slice(nodeAt)
  const node = await table.find(innerNodeKey(list.name, child?.from ?? ''), innerNodeSchema)
  if (node?.until !== (next?.from ?? '')) return undefined
  const rangeAt = childAt(node.children, key)
  const until = node.children[rangeAt + 1]?.from ?? node.until
  const orders = await ordersWithin(table, list, { from: key, until })
  return orders.length + entriesBelow([...node.children.slice(rangeAt + 1), ...children.slice(nodeAt + 1)])
}

/**
 * Reads a page through its inner node, and for the last page one entry more, if there is one by now. Returns
 * undefined if the node was split or merged since the root was read.
 */
async function pageInside(
  table: Table,
  { list, page, perPage, below }: ListPageQuery,
  { root, hidden, above, total }: Visibility,
): Promise<Entry[] | undefined> {
  const before = (page - 1) * perPage
  // Those above `below` are the first ones of a descending list.
  const offset = list.order === 'descending' ? above + before : before
  const { from, until, skip } = locate(withoutHidden(root.children, hidden), '', offset, list.order)
  const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
  if (!node || node.until !== until) return undefined
  const inNode = hidden.filter(order => isWithin(order, from, until))
  const ranges = withoutHidden(node.children, inNode)
  const start = locate(ranges, until, skip, list.order)
  const end = locate(ranges, until, skip + perPage - 1, list.order)
  if (list.order === 'ascending' && below !== undefined && compareOrder(start.from, below) > 0) return []
  const crossed = hidden.filter(order => isCrossed(order, start, end, list)).length
  const wanted = page * perPage < total ? perPage : perPage + 1
  // The span begins at `below`, so that none of those above is skipped.
  const skipped = Math.min(start.skip, before)
  const span = spanWithin(list, start, below, skipped + wanted + crossed)
  const found = visibleOf(list, await table.query(span, Entry), hidden)
  return found.slice(skipped, skipped + wanted)
}

/** Whether a hidden entry may lie in the ranges that the page is read from. */
function isCrossed(order: string, start: Position, end: Position, list: List): boolean {
  return list.order === 'ascending'
    ? isWithin(order, start.from, end.inside ? end.until : '')
    : isWithin(order, end.inside ? end.from : '', start.until)
}

function visibleOf(list: List, entries: Entry[], hidden: string[]): Entry[] {
  const keys = new Set(hidden.map(order => entryKey(list.name, order).sk))
  return entries.filter(({ sk }) => !keys.has(sk))
}
