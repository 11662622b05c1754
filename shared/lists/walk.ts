// Reads a list from a position on: its entries alone, without its nodes, so that any part costs the same.
import * as z from 'zod/mini'
import type { Span, Table } from '../table/client.ts'
import { ENTRIES_END, entryKey, listPartition, orderIn } from '../table/design.ts'
import { type Bounds, compareOrder } from './children.ts'
import type { List } from './list.ts'

/**
 * `after`: the order key of the last entry before the part; undefined for the beginning of the list.
 * `below`: the last order key that may be read.
 */
type WalkQuery = { list: List; after: string | undefined; count: number; below?: string | undefined }

/** `last`: the order key of the last item. */
export type WalkPart<T> = { items: T[]; last: string | undefined; hasMore: boolean }

/** One schema for all lists, by which reads are remembered. The items are parsed afterwards. */
export const Entry = z.object({ sk: z.string(), item: z.unknown() })
export type Entry = z.infer<typeof Entry>

/** One round trip, and another one only if `isShown` has refused entries that were read. */
export async function listAfter<T>(
  table: Table,
  { list, after, count, below }: WalkQuery,
  schema: z.ZodMiniType<T>,
  isShown: (item: T) => boolean = () => true,
): Promise<WalkPart<T>> {
  const shown: { order: string | undefined; item: T }[] = []
  const limit = count + 1
  let position = after
  while (shown.length <= count) {
    const span = spanAfter({ list, after: position, below }, limit)
    const entries = span ? await table.query(span, Entry) : []
    for (const entry of entries) {
      const item = schema.parse(entry.item)
      if (isShown(item)) shown.push({ order: orderIn(entry.sk), item })
    }
    if (entries.length < limit) break
    position = orderIn(entries.at(-1)?.sk ?? '')
  }
  const part = shown.slice(0, count)
  return { items: part.map(({ item }) => item), last: part.at(-1)?.order, hasMore: shown.length > count }
}

/** The key right after a key: it ends with the smallest character. */
export function nextOf(key: string): string {
  return `${key}\0`
}

/** Undefined if nothing can be in it: DynamoDB refuses a span whose end is before its start. */
function spanAfter({ list, after, below }: Omit<WalkQuery, 'count'>, limit: number): Span | undefined {
  if (list.order === 'descending') return spanWithin(list, { from: '', until: after ?? '' }, below, limit)
  if (after !== undefined && below !== undefined && compareOrder(after, below) >= 0) return undefined
  return spanWithin(list, { from: after === undefined ? '' : nextOf(after), until: '' }, below, limit)
}

/**
 * The span of the first entries in reading order: an ascending list is read on beyond `until`, a descending
 * one beyond `from`. In a list's partition entries sort first, nodes after them.
 */
export function spanWithin(
  list: List,
  { from, until }: Bounds,
  below: string | undefined,
  limit: number,
): Span {
  const pk = listPartition(list.name)
  const skOf = (order: string) => entryKey(list.name, order).sk
  const to = below === undefined ? ENTRIES_END : skOf(below)
  if (list.order === 'ascending') return { pk, from: skOf(from), to, limit }
  const isCut = until !== '' && compareOrder(skOf(until), to) <= 0
  return { pk, ...(isCut ? { before: skOf(until) } : { to }), descending: true, limit }
}

/** The stored entries inside of bounds, by their order keys: at most `limit`, or all. */
export async function entriesWithin<Entry extends { sk: string }>(
  table: Table,
  { name }: List,
  { from, until }: Bounds,
  schema: z.ZodMiniType<Entry>,
  more: Pick<Span, 'limit' | 'only'> = {},
): Promise<Entry[]> {
  const to = until === '' ? ENTRIES_END : entryKey(name, until).sk
  const span = { pk: listPartition(name), from: entryKey(name, from).sk, to, ...more }
  // The upper bound of a span is inclusive.
  return (await table.query(span, schema)).filter(({ sk }) => sk !== to)
}

const Key = z.object({ sk: z.string() })

/** The order keys inside of bounds. */
export async function ordersWithin(table: Table, list: List, bounds: Bounds): Promise<string[]> {
  const keys = await entriesWithin(table, list, bounds, Key, { only: ['sk'] })
  return keys.flatMap(({ sk }) => orderIn(sk) ?? [])
}

const STEP = 100
const Keys = z.object({ pk: z.string(), sk: z.string() })

/** Deletes up to 100 items of the list. Returns true when there may be more. */
export async function clearList(table: Table, list: string): Promise<boolean> {
  const keys = await table.query({ pk: listPartition(list), limit: STEP, only: ['pk', 'sk'] }, Keys)
  await table.removeMany(keys)
  return keys.length === STEP
}
