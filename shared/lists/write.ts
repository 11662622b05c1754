// Writing records together with their list entries.
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { type ListEntry, planListChanges } from './plan.ts'
import { rebalance } from './rebalance.ts'

/** The entries of the changed records, as they are and as they are to be. */
export type ListChange = { before?: ListEntry[]; after?: ListEntry[] }

/**
 * Plans the change, hands its actions to `write`, which puts them into one transaction with the records, and
 * then splits or merges the nodes that need it. Throws ConditionFailed as `planListChanges` does.
 */
export async function writeWithLists(
  table: Table,
  { before = [], after = [] }: ListChange,
  write: (listActions: Action[]) => Promise<void>,
): Promise<void> {
  const { actions, unbalanced } = await planListChanges(table, before, after)
  await write(actions)
  await rebalance(table, unbalanced)
}
