// Sends the outbox rows that were left behind. A row that cannot be sent does not delay the others.
import * as z from 'zod/mini'
import { measure } from '../metrics/tally.ts'
import type { Table } from '../table/client.ts'
import { outboxPartitions } from '../table/design.ts'
import type { Item } from '../table/key.ts'
import { newEventId } from './event-id.ts'
import {
  type DepthOf,
  type IsEmpty,
  isLeft,
  leftRowsOf,
  listRows,
  mayBeLost,
  type RowState,
  readEmptyQueues,
  stateOf,
} from './left-rows.ts'
import type { Message, QueueName } from './message.ts'
import { markUnsent, readRow } from './outbox.ts'
import type { Sender } from './sender.ts'

/** `left`: rows that a queue refused or that cannot be read. The next sweep tries them again. */
export type SweepResult = { sent: number; left: number }

export type Sweep = {
  table: Table
  sender: Sender
  depthOf: DepthOf
  log: (level: 'warn' | 'error', message: string, details: Record<string, unknown>) => void
  nowMs: number
  hasTime: () => boolean
}

type Row = { item: Item; message: Message }
/** What the shards of one sweep know together. */
type Progress = {
  isEmpty: IsEmpty
  /** By queue, the number of consecutive pages of which it accepted nothing. */
  refusedPages: Map<QueueName, number>
  /** By queue, the number of rows that may be lost and were chosen. */
  lostRows: Map<string, number>
}

const PAGE = 100
const SEND_TIMEOUT_MS = 5_000
/** After so many pages a queue gets no more in this sweep: its time-outs use up the time of the others. */
const MAX_REFUSED_PAGES = 3
/** Of each queue in one sweep. Few messages are lost, but a queue that stands still has a long backlog. */
const MAX_LOST_ROWS = 100

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

/** Sends all rows that were left behind, as long as there is time. */
export async function sweepOutbox(sweep: Sweep): Promise<SweepResult> {
  const swept = { sent: 0, left: 0 }
  const oldest = await listRows(sweep.table)
  const mayBeLeft = oldest.some(row => isLeft(row, sweep.nowMs, () => true))
  const isEmpty = mayBeLeft ? await readEmptyQueues(sweep.depthOf) : () => true
  const [first] = leftRowsOf(oldest, sweep.nowMs, isEmpty)
  measure('OutboxOldestSeconds', first ? Math.max(0, Math.floor((sweep.nowMs - first.sinceMs) / 1000)) : 0)
  if (!mayBeLeft) return swept
  const progress: Progress = {
    isEmpty,
    refusedPages: new Map(),
    lostRows: new Map(),
  }
  const outcomes = await Promise.allSettled(outboxPartitions().map(pk => sweepShard(sweep, pk, progress)))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    swept.sent += outcome.value.sent
    swept.left += outcome.value.left
  }
  return swept
}

async function sweepShard(sweep: Sweep, pk: string, progress: Progress): Promise<SweepResult> {
  const { table, nowMs, hasTime } = sweep
  const to = newEventId(nowMs)
  const swept = { sent: 0, left: 0 }
  // Rows that are not sent stay in place, so the next page starts behind them.
  for (let from = ''; hasTime(); ) {
    const page = await table.query({ pk, to, limit: PAGE, ...(from && { from }) }, AnyItem)
    const items = page.filter(item => isChosen(stateOf(item), nowMs, progress))
    const sent = hasTime() ? await sendRows(sweep, readRows(sweep, items), progress) : 0
    swept.sent += sent
    swept.left += items.length - sent
    const last = page.at(-1)
    if (page.length < PAGE || !last) break
    from = `${last.sk}~`
  }
  return swept
}

/** Whether a row is sent: it is left, or it may be lost and is among the first of its queue. */
function isChosen(row: RowState, nowMs: number, { isEmpty, lostRows }: Progress): boolean {
  if (isLeft(row, nowMs, isEmpty)) return true
  const before = lostRows.get(row.queue) ?? 0
  if (!mayBeLost(row, nowMs) || before >= MAX_LOST_ROWS) return false
  lostRows.set(row.queue, before + 1)
  return true
}

/** Leaves out rows that cannot be read, for example after a rollback. They stay and are logged. */
function readRows({ log, nowMs }: Sweep, items: Item[]): Row[] {
  const unreadable: Record<string, unknown>[] = []
  const rows = items.flatMap(item => {
    const read = readRow(item, nowMs)
    if ('message' in read) return [{ item, message: read.message }]
    unreadable.push({ id: item.sk, queue: item.queue, problem: read.problem })
    return []
  })
  if (unreadable.length > 0) log('error', 'outbox rows cannot be read', { rows: unreadable })
  return rows
}

/** Sends a page and deletes the accepted rows, per queue. Returns the number of rows that were sent. */
async function sendRows(sweep: Sweep, rows: Row[], progress: Progress): Promise<number> {
  const byQueue = [...Map.groupBy(rows, ({ message }) => message.queue)]
  const left = await Promise.all(
    byQueue.map(([queue, ofQueue]) => sendToQueue(sweep, queue, ofQueue, progress)),
  )
  return left.reduce((all, count) => all + count, 0)
}

async function sendToQueue(
  { sender, table, log }: Sweep,
  queue: QueueName,
  rows: Row[],
  { refusedPages }: Progress,
): Promise<number> {
  const before = refusedPages.get(queue) ?? 0
  if (before >= MAX_REFUSED_PAGES) return 0
  const sent = await sender.send(
    rows.map(({ message }) => message),
    SEND_TIMEOUT_MS,
  )
  const itemsWhere = (ok: boolean) =>
    rows.filter((_, n) => (sent[n]?.ok ?? false) === ok).map(({ item }) => item)
  const [accepted, refused] = [itemsWhere(true), itemsWhere(false)]
  refusedPages.set(queue, accepted.length > 0 ? 0 : before + 1)
  if (refused.length > 0) {
    const { problem } = sent.find(({ ok }) => !ok) ?? {}
    log('warn', 'a queue refused outbox rows', { queue, rows: refused.length, problem })
    // The queue that was empty need not be empty at the next sweep.
    await markUnsent(
      table,
      refused.filter(({ unsent }) => unsent !== true),
    )
  }
  await table.removeMany(accepted.map(({ pk, sk }) => ({ pk, sk })))
  return accepted.length
}
