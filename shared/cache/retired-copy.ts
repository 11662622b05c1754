// The fourth copy of the generations, for former versions: raised while it exists. A new table has none.
import { currentMs } from '../http/time.ts'
import { type Action, CONFLICT } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { generationKey } from '../table/design.ts'
import { perTable } from '../table/per-table.ts'
import { type Raised, raiseCopy } from './generation.ts'

const COPY = 3
export const RETIRED_COPY_KEY = generationKey(COPY)

/** A former version that still runs creates what is absent with its first change. */
export const ABSENT_FOR_MS = 60_000
type Existence = { known?: boolean | undefined; readMs: number }
const existenceIn = perTable((): Existence => ({ readMs: 0 }))

/** Reads at most once a minute whether the copy exists. Fails with CONFLICT if it was deleted since. */
export async function raiseRetiredCopy(table: Table, raised: Raised): Promise<Action[]> {
  const existence = existenceIn(table)
  if (!existence.known && existence.readMs <= currentMs() - ABSENT_FOR_MS) {
    existence.known = (await table.findMany([RETIRED_COPY_KEY])).length > 0
    existence.readMs = currentMs()
  }
  if (!existence.known) return []
  const exists = { ConditionExpression: 'attribute_exists(pk)' }
  return [{ onConditionFailed: CONFLICT, Update: { ...raiseCopy(COPY, raised), ...exists } }]
}

/** The next change reads again whether it exists. */
export function forgetRetiredCopy(table: Table): void {
  Object.assign(existenceIn(table), { known: undefined, readMs: 0 })
}
