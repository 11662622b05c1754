// Reads the rotations whose overlap has ended, and whose old secret is to be erased.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { ROTATIONS_PARTITION, sortable } from '../../table/design.ts'
import { erasableUntil } from '../rotation.ts'

/** The sweep has 44 seconds for all its parts. */
const MAX_AT_ONCE = 100

const EndedRotation = z.object({ pk: z.string(), sk: z.string(), webhook_id: z.int(), owner_id: z.int() })
export type EndedRotation = z.infer<typeof EndedRotation>

/** The first of those whose old secret is to be erased. */
export function listEndedRotations(table: Table, nowSeconds: number): Promise<EndedRotation[]> {
  return table.query(
    { pk: ROTATIONS_PARTITION, to: sortable(erasableUntil(nowSeconds)), limit: MAX_AT_ONCE },
    EndedRotation,
  )
}
