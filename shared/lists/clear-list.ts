// Deletes what is left of a list whose root was deleted, in steps.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { listPartition } from '../table/design.ts'

const STEP = 100
const Keys = z.object({ pk: z.string(), sk: z.string() })

/** Deletes up to 100 items of the list. Returns true when there may be more. */
export async function clearList(table: Table, list: string): Promise<boolean> {
  const keys = await table.query({ pk: listPartition(list), limit: STEP, only: ['pk', 'sk'] }, Keys)
  await table.removeMany(keys)
  return keys.length === STEP
}
