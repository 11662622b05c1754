// Ends deliveries whose function died and that no message ends: test pings, and those of older versions.
import { measure } from '../../metrics/tally.ts'
import type { Table } from '../../table/client.ts'
import { INTERRUPTED } from '../delivery.ts'
import { listInterruptedDeliveries } from '../store/deliveries.ts'
import { finaliseDelivery } from './finalise.ts'

/** Fails indexed deliveries whose function died after the claim. Returns how many. */
export async function finaliseInterruptedDeliveries(table: Table, nowMs: number): Promise<number> {
  const interrupted = await listInterruptedDeliveries(table, nowMs)
  measure('OpenClaims', interrupted.length)
  for (const delivery of interrupted) {
    await finaliseDelivery(table, { delivery, outcome: INTERRUPTED, nowMs })
  }
  return interrupted.length
}
