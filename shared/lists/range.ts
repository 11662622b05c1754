// Reads any page of the entries whose order keys share a prefix, and their exact total.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { innerNodeKey } from '../table/design.ts'
import { readConsistently } from '../table/retrying.ts'
import { entriesBelow, locate, type Position } from './children.ts'
import { innerNodeSchema, type List, type Root, rootSchema } from './list.ts'
import { countFrom } from './page.ts'
import { entriesWithin } from './walk.ts'

export type RangeQuery = {
  /** Ascending. */
  list: List
  /** The prefix of the order keys. */
  prefix: string
  page: number
  perPage: number
}

/**
 * One page and the exact total, which is the difference of two ranks. One round trip if page 1 holds all
 * matches, else at most five: root, inner nodes and ranges of both ranks, the page's inner node, its entries.
 */
export async function listRange<T>(
  table: Table,
  { list, prefix, page, perPage }: RangeQuery,
  schema: z.ZodMiniType<T>,
): Promise<{ items: T[]; total: number }> {
  const until = prefix + LAST_CHARACTER
  const entries = z.object({ sk: z.string(), item: schema })
  const read = async (from: string, limit: number) => {
    const found = await entriesWithin(table, list, { from, until }, entries, { limit })
    return found.map(({ item }) => item)
  }
  const first = page === 1 ? read(prefix, perPage) : undefined
  // A write between two reads makes the reader start again.
  return await readConsistently(`The list ${list.name}`, table, async table => {
    const [root, head] = await Promise.all([table.find(list.root, rootSchema), first])
    if (!root) return { items: [], total: 0 }
    if (head && head.length < perPage) return { items: head, total: head.length }
    const [left, later] = await Promise.all(
      [prefix, until].map(key => countFrom(table, list, root, key, true)),
    )
    if (left === undefined || later === undefined) return undefined
    const [total, before] = [left - later, (page - 1) * perPage]
    if (head) return { items: head, total }
    if (before >= total) return { items: [], total }
    const start = await positionOf(table, list, root, entriesBelow(root.children) - left + before)
    if (!start) return undefined
    return { items: (await read(start.from, start.skip + perPage)).slice(start.skip), total }
  })
}

/** Where the entry at an offset is. Undefined if its inner node was written since the root was read. */
async function positionOf(
  table: Table,
  list: List,
  { children }: Root,
  offset: number,
): Promise<Position | undefined> {
  const { from, until, skip } = locate(children, '', offset, 'ascending')
  const node = await table.find(innerNodeKey(list.name, from), innerNodeSchema)
  const count = children.find(child => child.from === from)?.count
  if (!node || entriesBelow(node.children) !== count) return undefined
  return locate(node.children, until, skip, 'ascending')
}

/** Above every character of a text: Unicode never assigns it. */
const LAST_CHARACTER = '\u{10ffff}'
