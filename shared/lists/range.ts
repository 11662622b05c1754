// Reads any page of the entries whose order keys share a prefix, and their exact total.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { innerNodeKey } from '../table/design.ts'
import { readConsistently } from '../table/retrying.ts'
import { type Bounds, type Child, compareOrder, entriesBelow, locate } from './children.ts'
import { innerNodeSchema, type List, type Root, rootSchema } from './list.ts'
import { entriesWithin, ordersWithin } from './walk.ts'

export type RangeQuery = {
  /** Ascending. */
  list: List
  /** The prefix of the order keys. */
  prefix: string
  page: number
  perPage: number
}
/** The part of a child inside the bounds. If the bounds cut the child, its own count is too high. */
type Part = Child & Bounds & { child: Bounds; isCut: boolean }
/** An inner node, with its ranges if they had to be counted. */
type InnerNodePart = Part & { ranges?: Part[] }
type RangeRequest = RangeQuery & { table: Table; bounds: Bounds }

/**
 * One page and the exact total, which is the difference of two ranks. One round trip if page 1 holds all
 * matches, else at most five: root, cut inner nodes, cut ranges, the page's inner node, its entries.
 */
export async function listRange<T>(
  table: Table,
  query: RangeQuery,
  schema: z.ZodMiniType<T>,
): Promise<{ items: T[]; total: number }> {
  const { list, prefix, page, perPage } = query
  const request: RangeRequest = { ...query, table, bounds: { from: prefix, until: prefix + LAST_CHARACTER } }
  const entries = z.object({ sk: z.string(), item: schema })
  const first =
    page === 1 ? entriesWithin(table, list, request.bounds, entries, { limit: perPage }) : undefined
  // A split or merge between two reads makes the reader start again.
  return await readConsistently(`The list ${list.name}`, table, async table => {
    const [root, head] = await Promise.all([table.find(list.root, rootSchema), first])
    if (!root) return { items: [], total: 0 }
    if (head && head.length < perPage) return { items: itemsOf(head), total: head.length }
    const innerNodes = await innerNodesWithin(request, root)
    if (!innerNodes) return undefined
    const total = entriesBelow(innerNodes)
    if (head) return { items: itemsOf(head), total }
    if ((page - 1) * perPage >= total) return { items: [], total }
    const found = await pageWithin(request, innerNodes, entries)
    return found && { items: itemsOf(found), total }
  })
}

/** Returns undefined if an inner node was split or merged since the root was read. */
async function innerNodesWithin(request: RangeRequest, root: Root): Promise<InnerNodePart[] | undefined> {
  const innerNodes = await Promise.all(
    partsOf(root.children, '', request.bounds).map(async part => {
      if (!part.isCut) return part
      const ranges = await rangesWithin(request, part.child)
      return ranges && { ...part, ranges, count: entriesBelow(ranges) }
    }),
  )
  return innerNodes.every(node => node !== undefined) ? innerNodes : undefined
}

/** The ranges of an inner node. Ranges that the bounds cut are counted by reading their entries. */
async function rangesWithin(
  { table, list, bounds }: RangeRequest,
  { from, until }: Bounds,
): Promise<Part[] | undefined> {
  const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
  if (!node || node.until !== until) return undefined
  return await Promise.all(
    partsOf(node.children, until, bounds).map(async part =>
      part.isCut ? { ...part, count: (await ordersWithin(table, list, part)).length } : part,
    ),
  )
}

/** Reads past the counted position, so that the page is right even if entries were removed since. */
async function pageWithin<E extends { sk: string }>(
  request: RangeRequest,
  innerNodes: InnerNodePart[],
  entries: z.ZodMiniType<E>,
): Promise<E[] | undefined> {
  const { table, list, page, perPage, bounds } = request
  const inside = locate(innerNodes, bounds.until, (page - 1) * perPage, 'ascending')
  const node = innerNodes.find(({ from }) => from === inside.from)
  const ranges = node && (node.ranges ?? (await rangesWithin(request, node.child)))
  if (!ranges) return undefined
  const { from, skip } = locate(ranges, bounds.until, inside.skip, 'ascending')
  const span = { from, until: bounds.until }
  return (await entriesWithin(table, list, span, entries, { limit: skip + perPage })).slice(skip)
}

/** The children that overlap the bounds, in order and without gaps. */
function partsOf(children: Child[], end: string, bounds: Bounds): Part[] {
  return children.flatMap(({ from, count }, n) => {
    const child = { from, until: children[n + 1]?.from ?? end }
    const cut = { from: later(from, bounds.from), until: earlier(child.until, bounds.until) }
    const isCut = cut.from !== child.from || cut.until !== child.until
    return cut.until === '' || compareOrder(cut.from, cut.until) < 0 ? [{ ...cut, count, child, isCut }] : []
  })
}

function later(a: string, b: string): string {
  return compareOrder(a, b) < 0 ? b : a
}

function earlier(a: string, b: string): string {
  return a === '' || (b !== '' && compareOrder(b, a) < 0) ? b : a
}

/** Above every character of a text: Unicode never assigns it. */
const LAST_CHARACTER = '\u{10ffff}'

function itemsOf<T>(entries: { item: T }[]): T[] {
  return entries.map(({ item }) => item)
}
