// Runs every minute and finishes what was left behind: outbox rows, due posts, deliveries, blobs.
import { randomUUID } from 'node:crypto'
import { requireSent } from '../shared/events/sender.ts'
import { writeBeat } from '../shared/events/sweep-beat.ts'
import { withSweepLease } from '../shared/events/sweep-lease.ts'
import { sweepOutbox } from '../shared/events/sweep-outbox.ts'
import { openJobContext } from '../shared/lambda/job-context.ts'
import { listComingDue } from '../shared/posts/store/scheduled.ts'
import type { JobContext } from '../shared/runtime/job.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { sweepBlobs } from '../shared/table/blob.ts'
import { startDeadline, withDeadline } from '../shared/table/deadline.ts'
import { finaliseInterruptedDeliveries } from '../shared/webhooks/commands/deliver.ts'

/** The request that wrote a younger row may still send it. */
const LEFT_AFTER_MS = 30_000
/** No page of the outbox is started later. */
const LAST_PAGE_MS = 40_000
/** No call is retried later. The function has 50 s. */
const DEADLINE_MS = 44_000
/** Each second is looked at three times in advance, because schedules run late and may skip a minute. */
const LOOK_AHEAD_SECONDS = 180
const MOST_DUE = 2_000
const MOST_BLOBS = 50

async function sendLeftRows({ table, sender, log, nowMs }: JobContext): Promise<void> {
  const hasTime = startDeadline(LAST_PAGE_MS)
  const swept = await withSweepLease(table, nowMs, () =>
    sweepOutbox({ table, sender, log, nowMs, olderThanMs: LEFT_AFTER_MS, hasTime }),
  )
  if (!swept) return log('warn', 'another sweep is under way')
  if (swept.sent + swept.setAside + swept.left > 0) log('info', 'outbox rows were left behind', swept)
}

/** Sends due posts up to three times. The consumer announces each of them once. */
async function sendDue({ table, sender, nowMs }: JobContext): Promise<void> {
  const due = await listComingDue(table, Math.floor(nowMs / 1000) + LOOK_AHEAD_SECONDS, MOST_DUE)
  const sent = await sender.send(
    due.map(({ id, posted_at }) => ({
      queue: 'events',
      delaySeconds: Math.max(0, Math.ceil((posted_at * 1000 - nowMs) / 1000)),
      body: { kind: 'due', post_id: id, posted_at },
    })),
  )
  requireSent(sent, 'due posts')
}

async function sweep(): Promise<void> {
  const job = openJobContext(runtime(), randomUUID())
  const { table, nowMs, log } = job
  const outcomes = await Promise.allSettled([
    sendLeftRows(job),
    sendDue(job),
    finaliseInterruptedDeliveries(table, nowMs),
    sweepBlobs(table, nowMs, MOST_BLOBS),
  ])
  const failed = outcomes.filter(outcome => outcome.status === 'rejected')
  for (const { reason } of failed) log('error', 'a part of the sweep failed', { problem: String(reason) })
  await writeBeat(table, { endedMs: runtime().clock(), failedParts: failed.length })
  if (failed.length > 0) {
    throw new Error(`${failed.length} parts of the sweep failed; the next one tries again.`)
  }
}

export function handler(): Promise<void> {
  return withDeadline(sweep, DEADLINE_MS)
}
