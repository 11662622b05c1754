// When the sweep last ended without a failure, for the health check.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { lastRunKey } from '../table/design.ts'

const StoredRun = z.object({ ended_ms: z.number() })

export function writeLastRun(table: Table, ended_ms: number): Promise<void> {
  return table.write({ Put: { Item: { ...lastRunKey, ended_ms } } })
}

/** In epoch milliseconds; undefined before the first run. */
export async function findLastRun(table: Table): Promise<number | undefined> {
  return (await table.find(lastRunKey, StoredRun))?.ended_ms
}
