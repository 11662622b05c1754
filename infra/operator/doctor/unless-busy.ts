// Skips the check of records that the service itself is changing in the background, in steps.
import type { Table } from '../../../shared/table/client.ts'
import type { Key } from '../../../shared/table/key.ts'
import type { Problem } from './problem.ts'

/** Reports no problem if one of the markers exists before or after the check. */
export async function unlessBusy(
  table: Table,
  markers: Key[],
  check: () => Promise<Problem[]>,
): Promise<Problem[]> {
  if (await isBeingChanged(table, markers)) return []
  const problems = await check()
  return problems.length > 0 && (await isBeingChanged(table, markers)) ? [] : problems
}

export async function isBeingChanged(table: Table, markers: Key[]): Promise<boolean> {
  return markers.length > 0 && (await table.findMany(markers)).length > 0
}
