// Counts the entries of a list that sort after a key, such as the posts that are not yet due.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { ENTRIES_END, entryKey, innerNodeKey, listPartition } from '../table/design.ts'
import { childAt, entriesBelow, isWithin } from './children.ts'
import { innerNodeSchema, type List, type Root } from './list.ts'

const KeyOnly = z.object({ sk: z.string() })

/** Two round trips. Returns undefined if a node was split or merged since the root was read. */
export async function countAbove(
  table: Table,
  list: List,
  { children }: Root,
  key: string,
): Promise<number | undefined> {
  const nodeAt = childAt(children, key)
  const node = await table.find(innerNodeKey(list.name, children[nodeAt]?.from ?? ''), innerNodeSchema)
  if (!node || !isWithin(key, '', node.until)) return undefined
  const rangeAt = childAt(node.children, key)
  const rangeEnd = node.children[rangeAt + 1]?.from ?? node.until
  const inRange = await entriesAfter(table, list, key, rangeEnd)
  return inRange + entriesBelow(node.children.slice(rangeAt + 1)) + entriesBelow(children.slice(nodeAt + 1))
}

async function entriesAfter(table: Table, { name }: List, key: string, end: string): Promise<number> {
  const [from, to] = [entryKey(name, key).sk, end === '' ? ENTRIES_END : entryKey(name, end).sk]
  const found = await table.query({ pk: listPartition(name), from, to, only: ['sk'] }, KeyOnly)
  return found.filter(({ sk }) => sk !== from && sk !== to).length
}
