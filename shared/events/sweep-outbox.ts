// Sends the messages whose rows were left in the outbox: their request died, or their queue refused them. It
// may send one twice. A row that cannot be sent stays, is counted, and delays no other.
import * as z from 'zod/mini'
import { measure } from '../metrics/tally.ts'
import type { Table } from '../table/client.ts'
import { type Item, outboxPartitions } from '../table/design.ts'
import { eventIdAt, type Message } from './message.ts'
import { keyOfRow, readRow } from './outbox.ts'
import type { Sender } from './sqs.ts'

/** Younger rows belong to the request that wrote them. */
const LEFT_AFTER_MS = 60_000
/** How many rows of each shard are read at a time. */
const PAGE = 100
const SEND_TIMEOUT_MS = 5_000

/** Above the sort keys of all rows that are old enough. */
function lastLeft(nowMs: number): string {
  return eventIdAt(nowMs - LEFT_AFTER_MS + 1)
}

type Sweep = {
  table: Table
  sender: Sender
  log: (level: 'info' | 'warn' | 'error', message: string, details: Record<string, unknown>) => void
  nowMs: number
  /** No page is started later. */
  hasTime: () => boolean
}
/** `left`: rows that a queue refused or that cannot be read. The next sweep tries them again. */
type SweepResult = { sent: number; left: number }

export async function sweepOutbox(sweep: Sweep): Promise<SweepResult> {
  const swept = { sent: 0, left: 0 }
  const outcomes = await Promise.allSettled(outboxPartitions().map(pk => sweepShard(sweep, pk)))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    swept.sent += outcome.value.sent
    swept.left += outcome.value.left
  }
  measure('OutboxLeft', swept.left)
  if (swept.sent + swept.left > 0) sweep.log('info', 'outbox rows were left behind', swept)
  return swept
}

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

async function sweepShard(sweep: Sweep, pk: string): Promise<SweepResult> {
  const swept = { sent: 0, left: 0 }
  const to = lastLeft(sweep.nowMs)
  // Rows that are not sent stay in place, so the next page starts behind them.
  for (let from = ''; sweep.hasTime(); ) {
    const page = await sweep.table.query({ pk, to, limit: PAGE, ...(from && { from }) }, AnyItem)
    const sent = await sendRows(sweep, page)
    swept.sent += sent
    swept.left += page.length - sent
    const last = page.at(-1)
    if (page.length < PAGE || !last) break
    from = `${last.sk}~`
  }
  return swept
}

/** Returns how many were sent. */
async function sendRows(sweep: Sweep, items: Item[]): Promise<number> {
  const { table, sender, log } = sweep
  const rows = items.flatMap(item => readable(sweep, item))
  const outcomes = await sender.send(
    rows.map(({ message }) => message),
    SEND_TIMEOUT_MS,
  )
  const sent = rows.filter((_, n) => outcomes[n]?.ok)
  const refused = outcomes.find(({ ok }) => !ok)
  if (refused) {
    const count = rows.length - sent.length
    log('warn', 'outbox rows could not be sent', { rows: count, problem: refused.problem })
  }
  await table.removeMany(sent.map(({ item }) => keyOfRow(item)))
  return sent.length
}

/** Leaves out a row that cannot be read, for example after a rollback. */
function readable({ log, nowMs }: Sweep, item: Item): { item: Item; message: Message }[] {
  const read = readRow(item, nowMs)
  if ('message' in read) return [{ item, message: read.message }]
  log('error', 'an outbox row cannot be read', { id: item.sk, queue: item.queue, problem: read.problem })
  return []
}
