// Reads the index state of a post when no run of the index worker is writing it.
import { setTimeout as pause } from 'node:timers/promises'
import { type PostState, readState } from '../../../shared/search/commands/index-posts.ts'
import { QUEUE_WORKERS } from '../../../shared/service/workers.ts'
import type { Table } from '../../../shared/table/client.ts'

const READ_AGAIN_MS = 200

/** A run that started earlier has ended or timed out by then. */
const LONGEST_RUN_MS = 1_000 * (QUEUE_WORKERS['index-search']?.timeoutSeconds ?? 0)

/** Waits for runs that started before `sinceMs`. A run that timed out leaves the post `pending`. */
export async function readWhenFree(
  table: Table,
  id: number,
  sinceMs: number,
  whileWaiting: () => Promise<void>,
): Promise<PostState> {
  for (;;) {
    const post = await readState(table, id)
    if (post.record.state !== 'pending' || performance.now() - sinceMs > LONGEST_RUN_MS) return post
    await whileWaiting()
    await pause(READ_AGAIN_MS)
  }
}
