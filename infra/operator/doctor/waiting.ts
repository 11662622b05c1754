// What the minute's sweep must have taken away long ago: messages in the outbox, deliveries that broke off.
import { listLeftRows, type OutboxRow, relay } from '../../../shared/events/outbox.ts'
import type { Table } from '../../../shared/table/client.ts'
import { interruptOpenDeliveries } from '../../../shared/webhooks/delivery.ts'
import { listBrokenOff } from '../../../shared/webhooks/delivery-store.ts'
import type { Target } from '../target.ts'
import type { Finding } from './finding.ts'

/** Two beats of the sweep. */
const LATE_MS = 120_000

export const examineOutbox = async (
  target: Target,
  nowMs: number,
  isMending: boolean,
): Promise<Finding[]> => {
  const rows = await listLeftRows(target.table, nowMs, LATE_MS)
  const stay = isMending ? await sent(target, rows, nowMs) : rows
  const staying = new Set(stay.map(({ sk }) => sk))
  return [...Map.groupBy(rows, ({ queue }) => queue)].map(([queue, ofQueue]) => ({
    where: 'outbox',
    says: `${ofQueue.length} messages for the queue ${queue} wait for more than ${LATE_MS / 60_000} minutes.`,
    found: ofQueue.length,
    isMended: isMending && ofQueue.every(({ sk }) => !staying.has(sk)),
  }))
}

/** Sends the rows, as the sweep does, and says which stay all the same. */
const sent = async ({ table, sender }: Target, rows: OutboxRow[], nowMs: number): Promise<OutboxRow[]> => {
  await relay({ table, sender, log: () => undefined }, rows, nowMs)
  return await listLeftRows(table, nowMs, LATE_MS)
}

export const examineDeliveries = async (
  table: Table,
  nowMs: number,
  isMending: boolean,
): Promise<Finding[]> => {
  const broken = await listBrokenOff(table, nowMs - LATE_MS)
  if (broken.length === 0) return []
  if (isMending) await interruptOpenDeliveries(table, nowMs - LATE_MS)
  const says = `${broken.length} broke off more than ${LATE_MS / 60_000} minutes ago and were never ended.`
  return [{ where: 'deliveries', says, found: broken.length, isMended: isMending }]
}
