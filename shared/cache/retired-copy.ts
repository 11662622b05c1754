// The fourth copy of the generations, for former versions: raised while it exists. A new table has none.
import { type Action, CONFLICT } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { generationKey } from '../table/design.ts'
import { perTable } from '../table/per-table.ts'
import { type Raised, raiseCopy } from './generation.ts'

const COPY = 3
export const RETIRED_COPY_KEY = generationKey(COPY)

const existenceIn = perTable((): { known?: boolean | undefined } => ({}))

/** Reads whether the copy exists before the first change. Fails with CONFLICT if it was deleted since. */
export async function raiseRetiredCopy(table: Table, raised: Raised): Promise<Action[]> {
  const existence = existenceIn(table)
  existence.known ??= (await table.findMany([RETIRED_COPY_KEY])).length > 0
  if (!existence.known) return []
  const exists = { ConditionExpression: 'attribute_exists(pk)' }
  return [{ onConditionFailed: CONFLICT, Update: { ...raiseCopy(COPY, raised), ...exists } }]
}

/** The next change reads again whether it exists. */
export function forgetRetiredCopy(table: Table): void {
  existenceIn(table).known = undefined
}
