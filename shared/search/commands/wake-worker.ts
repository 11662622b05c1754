// Sends the index worker a message if changes wait for it: their own may be lost, and what a run leaves can
// be deleted only some seconds later.
import { requireSent, type Sender } from '../../events/sqs.ts'
import { measure } from '../../metrics/tally.ts'
import type { Table } from '../../table/client.ts'
import { INDEX_MESSAGE } from '../document.ts'
import { readIndexState } from '../store/index-state.ts'

export async function wakeWorker({ table, sender }: { table: Table; sender: Sender }): Promise<void> {
  const { manifest, markers, pending } = await readIndexState(table)
  measure('IndexPending', pending.length)
  if (markers.length === 0 && !manifest?.leavings.length) return
  requireSent(await sender.send([INDEX_MESSAGE]), 'messages for the index worker')
}
