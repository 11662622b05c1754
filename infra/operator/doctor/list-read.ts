// Reading the nodes of a counted list as they are, whatever they are.
import * as z from 'zod/mini'
import type { Table } from '../../../shared/table/client.ts'
import type { List } from '../../../shared/table/counted-list.ts'
import { listPartition, middleKey } from '../../../shared/table/design.ts'
import { type Child, compareOrder } from '../../../shared/table/directory.ts'
import { type Middle, middleSchema, type Root, rootSchema } from '../../../shared/table/list.ts'

export const whereIs = ({ name }: List): string => `list ${name}`

/** Throws ZodError for one that is no root at all. */
export const findRoot = (table: Table, list: List): Promise<Root | undefined> =>
  table.find(list.root, rootSchema)

export const findNode = (table: Table, list: List, from: string): Promise<Middle | undefined> =>
  table.find(middleKey(list.name, from), middleSchema)

const Keys = z.object({ sk: z.string() })

/** Where the middle nodes that are there begin. */
export const listNodes = async (table: Table, list: List): Promise<string[]> => {
  const prefix = middleKey(list.name, '').sk
  const found = await table.query({ pk: listPartition(list.name), beginsWith: prefix, only: ['sk'] }, Keys)
  return found.map(({ sk }) => sk.slice(prefix.length))
}

/** Whether children begin at `from`, each behind the one before. */
export const isInOrder = (children: Child[], from = ''): boolean =>
  children[0]?.from === from &&
  children.every((child, n) => n === 0 || compareOrder(children[n - 1]?.from ?? '', child.from) < 0)
