// Posts that a run of the index has in its hands: it writes to the end what it began, so that is waited for.
import { setTimeout as pause } from 'node:timers/promises'
import { look, type Seen } from '../../../shared/search/commands/index-posts.ts'
import { QUEUE_WORKERS } from '../../../shared/service/workers.ts'
import type { Table } from '../../../shared/table/client.ts'

const LOOK_AGAIN_MS = 200

/** A run that began before is over by then: it is cut off after so long, whatever it does. */
const LONGEST_RUN_MS = 1_000 * (QUEUE_WORKERS['index-search']?.timeoutSeconds ?? 0)

/** Looks when no run that began before `sinceMs` has the post in its hands; one that was cut off leaves it open. */
export async function lookWhenFree(
  table: Table,
  id: number,
  sinceMs: number,
  meanwhile: () => Promise<void>,
): Promise<Seen> {
  for (;;) {
    const seen = await look(table, id)
    if (seen.noted.state !== 'open' || performance.now() - sinceMs > LONGEST_RUN_MS) return seen
    await meanwhile()
    await pause(LOOK_AGAIN_MS)
  }
}
