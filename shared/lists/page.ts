// Reads any page of a counted list by its number, in at most three round trips.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { ENTRIES_END, entryKey, innerNodeKey, listPartition } from '../table/design.ts'
import { readConsistently } from '../table/read-consistently.ts'
import type { Span } from '../table/span.ts'
import { compareOrder, entriesBelow, isWithin, locate, type Position, withoutHidden } from './children.ts'
import { innerNodeSchema, type List, type Root, rootSchema } from './list.ts'

/**
 * `hidden`: order keys of entries that must not be shown, a promise because they are read while the root is.
 * `below`: the last visible order key, if all hidden entries sort after it; page 1 then takes one round trip.
 */
export type ListPageQuery = {
  list: List
  page: number
  perPage: number
  below?: string
  hidden: Promise<string[]>
}
type Entry<T> = { sk: string; item: T }

const WHOLE: Position = { from: '', until: '', skip: 0, inside: true }

/**
 * One page and the exact total of visible entries. Page 1 takes one round trip (three if it has hidden
 * entries), a page past the end takes one, any other page three: root, inner node, entries.
 */
export async function listPage<T>(
  table: Table,
  query: ListPageQuery,
  schema: z.ZodMiniType<T>,
): Promise<{ items: T[]; total: number }> {
  const entries = z.object({ sk: z.string(), item: schema })
  const { list, page, perPage, below } = query
  const first = page === 1 ? table.query(spanFrom(list, WHOLE, below, perPage), entries) : undefined
  // A split or merge between two reads makes the reader start again.
  return await readConsistently(`The list ${list.name}`, async () => {
    const [root, hidden, head] = await Promise.all([table.find(list.root, rootSchema), query.hidden, first])
    if (!root) return { items: [], total: 0 }
    const total = Math.max(0, entriesBelow(root.children) - hidden.length)
    const visible = head && visibleOf(list, head, hidden)
    if (visible && (visible.length === head.length || head.length < perPage)) {
      return { items: itemsOf(visible), total }
    }
    if ((page - 1) * perPage >= total) return { items: [], total }
    const items = await pageInside(table, query, root, hidden, entries)
    return items && { items, total }
  })
}

/**
 * Reads a page through its inner node. Returns undefined if the node was split or merged since the root was
 * read.
 */
async function pageInside<T>(
  table: Table,
  { list, page, perPage, below }: ListPageQuery,
  root: Root,
  hidden: string[],
  entries: z.ZodMiniType<Entry<T>>,
): Promise<T[] | undefined> {
  const visible = withoutHidden(root.children, hidden)
  const { from, until, skip } = locate(visible, '', (page - 1) * perPage, list.order)
  const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
  if (!node || node.until !== until) return undefined
  const inNode = hidden.filter(order => isWithin(order, from, until))
  const ranges = withoutHidden(node.children, inNode)
  const start = locate(ranges, until, skip, list.order)
  const end = locate(ranges, until, skip + perPage - 1, list.order)
  if (list.order === 'ascending' && isAbove(start.from, below)) return []
  const crossed = hidden.filter(order => isCrossed(order, start, end, list, below)).length
  const limit = start.skip + perPage + crossed
  const found = visibleOf(list, await table.query(spanFrom(list, start, below, limit), entries), hidden)
  return itemsOf(found.slice(start.skip, start.skip + perPage))
}

/** Whether a hidden entry may lie in the ranges that the page is read from. */
function isCrossed(order: string, start: Position, end: Position, list: List, below: string | undefined) {
  if (isAbove(order, below)) return false
  return list.order === 'ascending'
    ? isWithin(order, start.from, end.inside ? end.until : '')
    : isWithin(order, end.inside ? end.from : '', start.until)
}

function isAbove(order: string, below: string | undefined): boolean {
  return below !== undefined && compareOrder(order, below) > 0
}

/** The span of entries from a position on. In a list's partition entries sort first, nodes after them. */
function spanFrom(list: List, { from, until }: Position, below: string | undefined, limit: number): Span {
  const pk = listPartition(list.name)
  const skOf = (order: string) => entryKey(list.name, order).sk
  const to = below === undefined ? ENTRIES_END : skOf(below)
  if (list.order === 'ascending') return { pk, from: skOf(from), to, limit }
  const isCut = until !== '' && compareOrder(skOf(until), to) <= 0
  return { pk, ...(isCut ? { before: skOf(until) } : { to }), descending: true, limit }
}

function visibleOf<T>(list: List, entries: Entry<T>[], hidden: string[]): Entry<T>[] {
  const keys = new Set(hidden.map(order => entryKey(list.name, order).sk))
  return entries.filter(({ sk }) => !keys.has(sk))
}

function itemsOf<T>(entries: Entry<T>[]): T[] {
  return entries.map(({ item }) => item)
}
