// Reads who writes the search index.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { rebuildingKey } from '../../table/design.ts'

/** `is_run` marks a run of the index worker; a reindex does not set it. */
const Claim = z.object({ holder: z.string(), until_ms: z.int(), is_run: z.optional(z.boolean()) })

type Claim = z.infer<typeof Claim>

export function findClaim(table: Table): Promise<Claim | undefined> {
  return table.find(rebuildingKey, Claim)
}

/** Whether a reindex holds the lock; a run of the index worker releases it within seconds. */
export async function isReindexWriting(table: Table): Promise<boolean> {
  const claim = await findClaim(table)
  return claim !== undefined && claim.is_run !== true
}
