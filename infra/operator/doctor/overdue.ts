// Checks for outbox messages that the sweep should have sent.
import { type LeftRow, listLeftRows, sweepOutbox } from '../../../shared/events/sweep-outbox.ts'
import { startDeadline } from '../../../shared/table/deadline.ts'
import type { Target } from '../target.ts'
import type { Problem } from './problem.ts'

/** The sweep runs every minute. */
const OVERDUE_MS = 120_000
const SWEEP_MS = 40_000

export async function checkOutbox(target: Target, nowMs: number, repair: boolean): Promise<Problem[]> {
  const rows = await listOverdueRows(target, nowMs)
  const isSwept = repair && !target.isDetached
  if (isSwept) await sweepNow(target, nowMs)
  const left = isSwept ? await listOverdueRows(target, nowMs) : rows
  const isWaiting = target.isIdle === true || target.isDetached === true
  const queuesLeft = new Set(left.map(({ queue }) => queue))
  return [...Map.groupBy(rows, ({ queue }) => queue)].map(([queue, ofQueue]) => ({
    subject: 'outbox',
    message: isWaiting
      ? `${ofQueue.length} messages for the queue ${queue} are queued. The service will send them once it runs.`
      : `${ofQueue.length} messages for the queue ${queue} have waited for more than ${OVERDUE_MS / 60_000} minutes.`,
    isQueued: isWaiting && !isSwept,
    found: ofQueue.length,
    isRepaired: isSwept && !queuesLeft.has(queue),
  }))
}

async function listOverdueRows({ table }: Target, nowMs: number): Promise<LeftRow[]> {
  return (await listLeftRows(table, nowMs)).filter(({ sinceMs }) => nowMs - sinceMs >= OVERDUE_MS)
}

async function sweepNow({ table, sender }: Target, nowMs: number): Promise<void> {
  await sweepOutbox({ table, sender, log: () => undefined, nowMs, hasTime: startDeadline(SWEEP_MS) })
}
