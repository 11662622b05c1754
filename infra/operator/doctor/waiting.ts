// What the minute's sweep must have taken away long ago: messages in the outbox, deliveries that broke off.
import { countSetAside } from '../../../shared/events/set-aside.ts'
import { withSweepLease } from '../../../shared/events/sweep-lease.ts'
import { listWaitingRows, sweepOutbox } from '../../../shared/events/sweep-outbox.ts'
import type { Table } from '../../../shared/table/client.ts'
import { startDeadline } from '../../../shared/table/deadline.ts'
import { interruptOpenDeliveries } from '../../../shared/webhooks/commands/deliver.ts'
import { listBrokenOff } from '../../../shared/webhooks/store/deliveries.ts'
import type { Target } from '../target.ts'
import type { Finding } from './finding.ts'

/** Two beats of the sweep. */
const LATE_MS = 120_000
/** No longer than its lease. */
const MENDING_MS = 40_000

export async function examineOutbox(target: Target, nowMs: number, isMending: boolean): Promise<Finding[]> {
  const rows = await listWaitingRows(target.table, nowMs, LATE_MS)
  if (isMending) await sweepNow(target, nowMs)
  const stay = isMending ? await listWaitingRows(target.table, nowMs, LATE_MS) : rows
  const staying = new Set(stay.map(({ queue }) => queue))
  const late = [...Map.groupBy(rows, ({ queue }) => queue)].map(([queue, ofQueue]) => ({
    where: 'outbox',
    says: target.isIdle
      ? `${ofQueue.length} messages for the queue ${queue} are queued, will be done once the service runs.`
      : `${ofQueue.length} messages for the queue ${queue} wait for more than ${LATE_MS / 60_000} minutes.`,
    isQueued: target.isIdle === true && !isMending,
    found: ofQueue.length,
    isMended: isMending && !staying.has(queue),
  }))
  return [...late, ...(await examineSetAside(target.table))]
}

/** As the sweep does. Where one is under way, it is left to that one. */
async function sweepNow({ table, sender }: Target, nowMs: number): Promise<void> {
  const hasTime = startDeadline(MENDING_MS)
  await withSweepLease(table, nowMs, () =>
    sweepOutbox({ table, sender, log: () => undefined, nowMs, olderThanMs: LATE_MS, hasTime }),
  )
}

async function examineSetAside(table: Table): Promise<Finding[]> {
  return (await countSetAside(table)).map(({ queue, problem, rows }) => ({
    where: 'outbox',
    says: `${rows} messages for the queue ${queue} are set aside, since the version that ran could not read them (${problem}). Deploy the version that wrote them, then: redrive`,
    found: rows,
    isMended: false,
  }))
}

export async function examineDeliveries(table: Table, nowMs: number, isMending: boolean): Promise<Finding[]> {
  const broken = await listBrokenOff(table, nowMs - LATE_MS)
  if (broken.length === 0) return []
  if (isMending) await interruptOpenDeliveries(table, nowMs - LATE_MS)
  const says = `${broken.length} broke off more than ${LATE_MS / 60_000} minutes ago and were never ended.`
  return [{ where: 'deliveries', says, found: broken.length, isMended: isMending }]
}
