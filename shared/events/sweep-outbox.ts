// Sends the outbox rows that requests left behind. A row that cannot be sent does not delay the others.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { outboxPartitions } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { newEventId, timeOfEventId } from './event-id.ts'
import type { Message, QueueName } from './message.ts'
import { readRow, sentKeys } from './outbox.ts'
import type { Sender } from './sender.ts'
import { setAside, type UnreadableRow } from './set-aside.ts'

/** `left`: rows that a queue refused. The next sweep tries them again. */
export type SweepResult = { sent: number; setAside: number; left: number }

export type Sweep = {
  table: Table
  sender: Sender
  log: (level: 'warn' | 'error', message: string, details: Record<string, unknown>) => void
  nowMs: number
  /** The request that wrote a younger row may still send it. */
  olderThanMs: number
  hasTime: () => boolean
}

type Row = { key: Key; message: Message }
/** By queue, the number of consecutive pages of which it accepted nothing. */
type RefusedPageCounts = Map<QueueName, number>

const PAGE = 100
const SEND_TIMEOUT_MS = 5_000
/** After so many pages a queue gets no more in this sweep: its time-outs use up the time of the others. */
const MAX_REFUSED_PAGES = 3

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

/** Sends all rows that are old enough, as long as there is time. */
export async function sweepOutbox(sweep: Sweep): Promise<SweepResult> {
  const refusals: RefusedPageCounts = new Map()
  const outcomes = await Promise.allSettled(outboxPartitions().map(pk => sweepShard(sweep, pk, refusals)))
  const swept = { sent: 0, setAside: 0, left: 0 }
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    swept.sent += outcome.value.sent
    swept.setAside += outcome.value.setAside
    swept.left += outcome.value.left
  }
  return swept
}

export type WaitingRow = { queue: string; atMs: number }

/** Rows that have waited for at least `olderThanMs`: at most 100 per shard, oldest first. */
export async function listWaitingRows(
  table: Table,
  nowMs: number,
  olderThanMs: number,
): Promise<WaitingRow[]> {
  const span = { to: newEventId(nowMs - olderThanMs), limit: PAGE, only: ['sk', 'queue'] }
  const Row = z.object({ sk: z.string(), queue: z.catch(z.string(), 'unknown') })
  const shards = await Promise.all(outboxPartitions().map(pk => table.query({ pk, ...span }, Row)))
  return shards
    .flat()
    .map(({ sk, queue }) => ({ queue, atMs: timeOfEventId(sk) }))
    .sort((a, b) => a.atMs - b.atMs)
}

async function sweepShard(sweep: Sweep, pk: string, refusals: RefusedPageCounts): Promise<SweepResult> {
  const { table, nowMs, olderThanMs, hasTime } = sweep
  const to = newEventId(nowMs - olderThanMs)
  const swept = { sent: 0, setAside: 0, left: 0 }
  // Refused rows stay in place, so the next page starts behind them.
  for (let from = ''; hasTime(); ) {
    const items = await table.query({ pk, to, limit: PAGE, ...(from && { from }) }, AnyItem)
    const { rows, unreadable } = readRows(items, nowMs)
    const sent = hasTime() ? await sendRows(sweep, rows, refusals) : 0
    swept.sent += sent
    swept.left += rows.length - sent
    swept.setAside += await setAside(sweep, unreadable)
    const last = items.at(-1)
    if (items.length < PAGE || !last) break
    from = `${last.sk}~`
  }
  return swept
}

function readRows(
  items: z.infer<typeof AnyItem>[],
  nowMs: number,
): { rows: Row[]; unreadable: UnreadableRow[] } {
  const [rows, unreadable]: [Row[], UnreadableRow[]] = [[], []]
  for (const item of items) {
    const read = readRow(item, nowMs)
    if ('message' in read) {
      rows.push({ key: { pk: item.pk, sk: item.sk }, message: read.message })
    } else {
      unreadable.push({ item, problem: read.problem })
    }
  }
  return { rows, unreadable }
}

/** Sends a page and deletes the accepted rows, per queue. Returns the number of rows that were sent. */
async function sendRows(sweep: Sweep, rows: Row[], refusals: RefusedPageCounts): Promise<number> {
  const byQueue = [...Map.groupBy(rows, ({ message }) => message.queue)]
  const left = await Promise.all(
    byQueue.map(([queue, ofQueue]) => sendToQueue(sweep, queue, ofQueue, refusals)),
  )
  return left.reduce((all, count) => all + count, 0)
}

async function sendToQueue(
  { sender, table, log }: Sweep,
  queue: QueueName,
  rows: Row[],
  refusals: RefusedPageCounts,
): Promise<number> {
  const before = refusals.get(queue) ?? 0
  if (before >= MAX_REFUSED_PAGES) return 0
  const sent = await sender.send(
    rows.map(({ message }) => message),
    SEND_TIMEOUT_MS,
  )
  const keys = rows.map(({ key }) => key)
  const taken = sentKeys(keys, sent)
  refusals.set(queue, taken.length > 0 ? 0 : before + 1)
  const refused = sent.find(({ ok }) => !ok)
  if (refused) {
    log('warn', 'a queue refused outbox rows', {
      queue,
      rows: rows.length - taken.length,
      problem: refused.problem,
    })
  }
  await table.removeMany(taken)
  return taken.length
}
