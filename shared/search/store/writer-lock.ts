// Reads the lock on the search index.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { writerLockKey } from '../../table/design.ts'

/** `is_run` marks a run of the index worker; a reindex does not set it. */
const Lock = z.object({ holder: z.string(), until_ms: z.int(), is_run: z.optional(z.boolean()) })
type Lock = z.infer<typeof Lock>

export function findLock(table: Table): Promise<Lock | undefined> {
  return table.find(writerLockKey, Lock)
}

/** Whether a reindex holds the lock; a run of the index worker releases it within seconds. */
export async function isReindexRunning(table: Table): Promise<boolean> {
  const lock = await findLock(table)
  return lock !== undefined && lock.is_run !== true
}
