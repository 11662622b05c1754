// The sweep's heartbeat: when it last ended, and how many of its parts failed.
import * as z from 'zod/mini'
import { setMembers } from '../table/change.ts'
import type { Table } from '../table/client.ts'
import { sweepBeatKey } from '../table/design.ts'

const StoredBeat = z.object({ ended_ms: z.number(), failed_parts: z.int() })
export type Beat = { endedMs: number; failedParts: number }

export function writeBeat(table: Table, { endedMs, failedParts }: Beat): Promise<void> {
  const members = { ended_ms: endedMs, failed_parts: failedParts }
  return table.write({ Update: { Key: sweepBeatKey, ...setMembers(members) } })
}

/** Returns undefined before the first sweep. */
export async function findBeat(table: Table): Promise<Beat | undefined> {
  const beat = await table.find(sweepBeatKey, StoredBeat)
  return beat && { endedMs: beat.ended_ms, failedParts: beat.failed_parts }
}
