// Writing records together with their list entries.
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { type ListEntry, planListChanges } from './plan.ts'
import type { NodeItems } from './read-nodes.ts'
import { rebalance } from './rebalance.ts'

export type ListChange = {
  /** The entries of the changed records, as they are and as they are to be. */
  before?: ListEntry[]
  after?: ListEntry[]
  /** Nodes that were read before. After a conflict, the next attempt must not use them again. */
  ahead?: NodeItems | undefined
  /** The caller splits nodes after several changes. */
  isBulk?: boolean
}

/**
 * Plans the change, hands its actions to `write`, which puts them into one transaction with the records, and
 * then splits or merges the nodes that need it. Throws ConditionFailed as `planListChanges` does.
 */
export async function writeWithLists(
  table: Table,
  { before = [], after = [], ahead, isBulk = false }: ListChange,
  write: (listActions: Action[]) => Promise<void>,
): Promise<void> {
  const { actions, unbalanced } = await planListChanges(table, before, after, table.listSizes, ahead)
  await write(actions)
  if (!isBulk) await rebalance(table, unbalanced)
}
