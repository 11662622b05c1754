// Numbers for `counts`, read from the roots of lists: they cost the same on a large site.
import { type List, rootAttributes, visibleCount } from '../../shared/lists/counted-list.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Context } from './command.ts'

export type Numbers = Record<string, number>

export type Count = (context: Context) => Promise<number | Numbers>

export async function lengthIn(table: Table, list: List): Promise<number> {
  const root = await table.find(list.root, rootAttributes)
  return root ? visibleCount(root, 0) : 0
}

/** For records of one list. */
export function lengthOf(list: List): Count {
  return ({ target }) => lengthIn(target.table, list)
}

/** For records with a list for each status, and one that contains all of them. */
export function lengthsByStatus<Status extends string>(
  statuses: readonly Status[],
  listOf: (status: Status | undefined) => List,
): Count {
  const lists = [
    ...statuses.map(status => [status, listOf(status)] as const),
    ['total', listOf(undefined)] as const,
  ]
  return async ({ target }) =>
    Object.fromEntries(
      await Promise.all(lists.map(async ([name, list]) => [name, await lengthIn(target.table, list)])),
    )
}
