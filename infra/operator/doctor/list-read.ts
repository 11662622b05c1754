// Reads the nodes of a counted list that may be damaged.
import * as z from 'zod/mini'
import { type Child, compareOrder } from '../../../shared/lists/children.ts'
import type { List } from '../../../shared/lists/counted-list.ts'
import { type InnerNode, innerNodeSchema, type Root, rootSchema } from '../../../shared/lists/list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { innerNodeKey, listPartition } from '../../../shared/table/design.ts'

export function subjectOf({ name }: List): string {
  return `list ${name}`
}

/** Throws ZodError for an item that is not a root. */
export function findRoot(table: Table, list: List): Promise<Root | undefined> {
  return table.find(list.root, rootSchema)
}

export function findNode(table: Table, list: List, from: string): Promise<InnerNode | undefined> {
  return table.find(innerNodeKey(list.name, from), innerNodeSchema)
}

const SortKey = z.object({ sk: z.string() })

/** The starts of all inner nodes that exist. */
export async function listNodes(table: Table, list: List): Promise<string[]> {
  const prefix = innerNodeKey(list.name, '').sk
  const found = await table.query({ pk: listPartition(list.name), beginsWith: prefix, only: ['sk'] }, SortKey)
  return found.map(({ sk }) => sk.slice(prefix.length))
}

/** Whether the first child starts at `from`, and each one after the one before it. */
export function isInOrder(children: Child[], from = ''): boolean {
  return (
    children[0]?.from === from &&
    children.every((child, n) => n === 0 || compareOrder(children[n - 1]?.from ?? '', child.from) < 0)
  )
}
