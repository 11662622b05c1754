// Runs every minute and finishes what was left behind: outbox rows, due posts, blobs, the index.
import { randomUUID } from 'node:crypto'
import { sweepOutbox } from '../shared/events/outbox.ts'
import { logRun, openJobContext } from '../shared/lambda/run.ts'
import { withTally } from '../shared/metrics/tally.ts'
import { sendDue } from '../shared/posts/commands/announce.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { wakeIndexWorker } from '../shared/search/update-index.ts'
import { sweepBlobs } from '../shared/table/blob.ts'
import { startDeadline, withDeadline } from '../shared/table/retrying.ts'

/** No call is retried later. The function has 50 s. */
const DEADLINE_MS = 44_000
/** No page of the outbox is started later. */
const LAST_PAGE_MS = 40_000
const MAX_BLOBS = 50

/** Every part runs, even if another one fails. Throws if a part failed. Two runs side by side do no harm. */
async function sweep(): Promise<void> {
  const job = openJobContext(runtime(), randomUUID())
  const { table, nowMs, log } = job
  const outcomes = await Promise.allSettled([
    sweepOutbox({ ...job, hasTime: startDeadline(LAST_PAGE_MS) }),
    sendDue(job),
    sweepBlobs(table, nowMs, MAX_BLOBS),
    wakeIndexWorker(job),
  ])
  const failed = outcomes.filter(outcome => outcome.status === 'rejected')
  for (const { reason } of failed) log('error', 'a part of the sweep failed', { problem: String(reason) })
  logRun(runtime())
  if (failed.length > 0) {
    throw new Error(`${failed.length} parts of the sweep failed; the next one tries again.`)
  }
}

export function handler(): Promise<void> {
  return withTally(() => withDeadline(sweep, DEADLINE_MS))
}
