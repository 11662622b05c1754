// Reading the nodes of a counted list as they are, whatever they are.
import * as z from 'zod/mini'
import type { List } from '../../../shared/lists/counted-list.ts'
import { type Child, compareOrder } from '../../../shared/lists/directory.ts'
import { type InnerNode, innerNodeSchema, type Root, rootSchema } from '../../../shared/lists/list.ts'
import type { Table } from '../../../shared/table/client.ts'
import { innerNodeKey, listPartition } from '../../../shared/table/design.ts'

export function whereIs({ name }: List): string {
  return `list ${name}`
}

/** Throws ZodError for one that is no root at all. */
export function findRoot(table: Table, list: List): Promise<Root | undefined> {
  return table.find(list.root, rootSchema)
}

export function findNode(table: Table, list: List, from: string): Promise<InnerNode | undefined> {
  return table.find(innerNodeKey(list.name, from), innerNodeSchema)
}

const Keys = z.object({ sk: z.string() })

/** Where the inner nodes that are there begin. */
export async function listNodes(table: Table, list: List): Promise<string[]> {
  const prefix = innerNodeKey(list.name, '').sk
  const found = await table.query({ pk: listPartition(list.name), beginsWith: prefix, only: ['sk'] }, Keys)
  return found.map(({ sk }) => sk.slice(prefix.length))
}

/** Whether children begin at `from`, each behind the one before. */
export function isInOrder(children: Child[], from = ''): boolean {
  return (
    children[0]?.from === from &&
    children.every((child, n) => n === 0 || compareOrder(children[n - 1]?.from ?? '', child.from) < 0)
  )
}
