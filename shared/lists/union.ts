// Reads several counted lists as one: a page of their union by its number, or what follows an order key.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { ENTRIES_END, entryKey, innerNodeKey, listPartition, orderIn } from '../table/design.ts'
import { readConsistently } from '../table/read-consistently.ts'
import { type Child, entriesBelow } from './children.ts'
import { innerNodeSchema, type List, rootSchema } from './list.ts'
import type { ListPage } from './page.ts'
import { type Bounded, type Window, windowOf } from './union-window.ts'
import { spanAfter, type WalkPart } from './walk.ts'

/** Descending lists of the same kind of order keys, in ASCII. No entry is in two of them, unless it moves. */
export type UnionPageQuery = { lists: List[]; page: number; perPage: number }
type UnionWalkQuery = { lists: List[]; after: string | undefined; count: number }

const Entry = z.object({ sk: z.string(), item: z.unknown() })
type Entry = z.infer<typeof Entry>

/**
 * One page and the exact total. Page 1 and a page past the end take one round trip, any other three: roots,
 * inner nodes, entries.
 */
export async function listUnion<T>(
  table: Table,
  { lists, page, perPage }: UnionPageQuery,
  schema: z.ZodMiniType<T>,
): Promise<ListPage<T>> {
  const offset = (page - 1) * perPage
  const first = page === 1 ? readAfter(table, lists, undefined, perPage) : undefined
  const name = lists.map(({ name }) => name).join(' and ')
  return await readConsistently(`The list ${name}`, table, async table => {
    const [roots, head] = await Promise.all([readRoots(table, lists), first])
    const total = lists.reduce((sum, _, n) => sum + entriesBelow(roots[n] ?? []), 0)
    if (head) {
      const isEnd = head.length < perPage
      return partOf(head, perPage, schema, { total, hasMore: total > perPage || (isEnd ? false : undefined) })
    }
    if (offset >= total) return { items: [], total, last: undefined }
    // The last page reads one entry more, if there is one by now.
    const wanted = page * perPage < total ? perPage : perPage + 1
    const window = windowOf(
      roots.map(root => bounded(root, '')),
      offset,
      wanted,
    )
    const found = await readWindow(table, lists, window, { wanted, least: Math.min(perPage, total - offset) })
    const hasMore = page * perPage < total || (found?.length ?? 0) > perPage
    return found && partOf(found, perPage, schema, { total, hasMore })
  })
}

/** One round trip. */
export async function unionAfter<T>(
  table: Table,
  { lists, after, count }: UnionWalkQuery,
  schema: z.ZodMiniType<T>,
): Promise<WalkPart<T>> {
  const found = await readAfter(table, lists, after, count + 1)
  return partOf(found, count, schema, { hasMore: found.length > count })
}

function partOf<T, Rest>(found: Entry[], count: number, schema: z.ZodMiniType<T>, rest: Rest) {
  const shown = found.slice(0, count)
  const last = shown.at(-1)
  return { items: shown.map(({ item }) => schema.parse(item)), last: last && orderIn(last.sk), ...rest }
}

async function readAfter(
  table: Table,
  lists: List[],
  after: string | undefined,
  count: number,
): Promise<Entry[]> {
  const parts = lists.map(async list => {
    const span = spanAfter({ list, after }, count)
    return span ? await table.query(span, Entry) : []
  })
  return merged(await Promise.all(parts)).slice(0, count)
}

/** The children of each root; none for a list that does not exist yet. */
async function readRoots(table: Table, lists: List[]): Promise<Child[][]> {
  const roots = await Promise.all(lists.map(({ root }) => table.find(root, rootSchema)))
  return roots.map(root => root?.children ?? [])
}

/**
 * Undefined if an inner node was split or merged since its root was read. `least`: how many entries the page
 * had then. Those that were removed since are replaced by those that follow.
 */
async function readWindow(
  table: Table,
  lists: List[],
  { lists: nodes, skip }: Window,
  { wanted, least }: { wanted: number; least: number },
): Promise<Entry[] | undefined> {
  const ranges = await Promise.all(lists.map((list, n) => readRanges(table, list, nodes[n] ?? [])))
  const complete = ranges.flatMap(ranges => (ranges ? [ranges] : []))
  if (complete.length < lists.length) return undefined
  const window = windowOf(complete, skip, wanted)
  const limit = window.skip + wanted
  const parts = lists.map((list, n) => readEntries(table, list, window.lists[n] ?? [], limit))
  const found = merged(await Promise.all(parts)).slice(0, limit)
  if (found.length >= window.skip + least) return found.slice(window.skip)
  const last = found.at(-1)
  const position = last ? orderIn(last.sk) : window.top
  if (position === undefined) return undefined
  const rest = await readAfter(table, lists, position, limit - found.length)
  return [...found, ...rest].slice(window.skip)
}

async function readRanges(table: Table, list: List, nodes: Bounded[]): Promise<Bounded[] | undefined> {
  const read = await Promise.all(
    nodes.map(({ from }) => table.find(innerNodeKey(list.name, from), innerNodeSchema)),
  )
  const isSplit = nodes.some(({ until }, n) => read[n]?.until !== until)
  return isSplit ? undefined : read.flatMap(node => (node ? bounded(node.children, node.until) : []))
}

function bounded(children: Child[], until: string): Bounded[] {
  return children.map((child, n) => ({ ...child, until: children[n + 1]?.from ?? until }))
}

/** The first entries of neighbouring ranges. One more is read, as the last bound is inclusive. */
async function readEntries(table: Table, list: List, ranges: Bounded[], limit: number): Promise<Entry[]> {
  const [lowest, highest] = [ranges.at(0), ranges.at(-1)]
  if (!lowest || !highest) return []
  const skOf = (order: string) => entryKey(list.name, order).sk
  const [from, end] = [skOf(lowest.from), highest.until === '' ? ENTRIES_END : skOf(highest.until)]
  const span = { pk: listPartition(list.name), from, to: end, descending: true, limit: limit + 1 }
  return (await table.query(span, Entry)).filter(({ sk }) => sk < end)
}

/** An entry that moves from one list to another between the reads is taken once. */
function merged(parts: Entry[][]): Entry[] {
  const entries = new Map(parts.flat().map(entry => [entry.sk, entry]))
  return [...entries.values()].sort((a, b) => (a.sk < b.sk ? 1 : -1))
}
