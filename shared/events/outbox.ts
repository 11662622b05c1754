// The outbox: a message is a row in the transaction of its change, so that none is lost. After the commit the
// request sends it and deletes the row. The sweep sends the rows that were left, perhaps a second time.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { measure } from '../metrics/tally.ts'
import type { Table } from '../table/client.ts'
import { type Item, type Key, OUTBOX_SHARDS, outboxPartition, outboxPartitions } from '../table/design.ts'
import { within } from '../table/retrying.ts'
import {
  eventIdAt,
  LONGEST_DELAY_SECONDS,
  type Message,
  newEventId,
  parseBody,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
} from './message.ts'
import type { Sender } from './sqs.ts'

const StoredRow = z.object({
  pk: z.string(),
  sk: z.string(),
  queue: z.enum(QUEUE_NAMES),
  /** As JSON, whose members keep their order: an event that is sent again has the same bytes. */
  body: z.string(),
  not_before_ms: z.number(),
  group: z.optional(z.string()),
})
type OutboxRow = z.infer<typeof StoredRow> & { schema: number }
type OutboxMessage<Name extends QueueName> = Omit<z.infer<typeof StoredRow>, 'queue'> & { queue: Name }

/** What a change sends. A message that only says that there is work has no row: the sweep finds the work. */
export type Outbox = { message: Message; row?: OutboxRow }[]

export function outboxOf(messages: Message[], nowMs: number): Outbox {
  return messages.map(message =>
    QUEUES[message.queue].isFifo ? { message } : { message, row: outboxRow(message, nowMs) },
  )
}

/** Rows sort by time. The shard spreads them over partitions. */
export function outboxRow({ queue, body, delaySeconds = 0, group }: Message, nowMs: number): OutboxRow {
  const sk = newEventId(nowMs)
  return {
    pk: outboxPartition((createHash('md5').update(sk).digest()[0] ?? 0) % OUTBOX_SHARDS),
    sk,
    queue,
    body: JSON.stringify(body),
    not_before_ms: nowMs + delaySeconds * 1000,
    ...(group && { group }),
    schema: 1,
  }
}

type Relay = { table: Table; sender: Sender; log: (problem: unknown) => void }

/** For sending and for deleting, because the caller waits. */
const STEP_TIMEOUT_MS = 1_000

/**
 * Sends the messages of a committed change and deletes the rows of those that a queue accepted. Never throws:
 * the sweep sends the rows that are left, perhaps a second time.
 */
export async function relay({ table, sender, log }: Relay, outbox: Outbox): Promise<void> {
  if (outbox.length === 0) return
  try {
    const messages = outbox.map(({ message }) => message)
    const sent = await sender.send(messages, STEP_TIMEOUT_MS)
    const refused = sent.find(({ ok }) => !ok)
    if (refused) log(refused.problem)
    const accepted = outbox.flatMap(({ row }, n) => (row && sent[n]?.ok ? keyOfRow(row) : []))
    await within(STEP_TIMEOUT_MS, table.removeMany(accepted))
  } catch (problem) {
    log(problem)
  }
}

export function keyOfRow({ pk, sk }: Key): Key {
  return { pk, sk }
}

/** Parses a row. A problem says why this version cannot read its queue, its shape or its kind of message. */
export function readRow(item: Key, nowMs: number): { message: Message } | { problem: string } {
  try {
    return { message: messageOf(StoredRow.parse(item), nowMs) }
  } catch (error) {
    // The error of a text that is no JSON contains a part of it.
    if (!(error instanceof $ZodError)) return { problem: 'body: no JSON' }
    const issues = error.issues.map(({ path, code }) => `${path.join('.') || 'the row'}: ${code}`)
    return { problem: issues.join(', ') }
  }
}

/** A message that must wait longer than SQS can delay arrives early: its consumer checks the time. */
function messageOf<Name extends QueueName>(
  { queue, body: json, group, not_before_ms }: OutboxMessage<Name>,
  nowMs: number,
): Message<Name> {
  const body: unknown = JSON.parse(json)
  const waitSeconds = Math.max(0, Math.ceil((not_before_ms - nowMs) / 1000))
  return {
    queue,
    // With members of a newer version, if that wrote the row.
    body: { ...parseBody(queue, body), ...Object(body) },
    delaySeconds: Math.min(LONGEST_DELAY_SECONDS, waitSeconds),
    ...(group !== undefined && { group }),
  }
}

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

/** A row that cannot be sent stays, is counted, and delays no other. */
export async function sweepOutbox(sweep: Sweep): Promise<SweepResult> {
  const swept = { sent: 0, left: 0 }
  const outcomes = await Promise.allSettled(outboxPartitions().map(pk => sweepShard(sweep, pk, swept)))
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed) throw failed.reason
  measure('OutboxLeft', swept.left)
  if (swept.sent + swept.left > 0) sweep.log('info', 'outbox rows were left behind', swept)
  return swept
}

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

async function sweepShard(sweep: Sweep, pk: string, swept: SweepResult): Promise<void> {
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
}

/** Returns how many were sent. One that cannot be read, for example after a rollback, is left out. */
async function sendRows({ table, sender, log, nowMs }: Sweep, items: Item[]): Promise<number> {
  const rows = items.flatMap(item => {
    const read = readRow(item, nowMs)
    if ('message' in read) return [{ item, message: read.message }]
    log('error', 'an outbox row cannot be read', { id: item.sk, queue: item.queue, problem: read.problem })
    return []
  })
  const messages = rows.map(({ message }) => message)
  const outcomes = await sender.send(messages, SEND_TIMEOUT_MS)
  const sent = rows.filter((_, n) => outcomes[n]?.ok)
  const refused = outcomes.find(({ ok }) => !ok)
  if (refused) {
    const count = rows.length - sent.length
    log('warn', 'outbox rows could not be sent', { rows: count, problem: refused.problem })
  }
  await table.removeMany(sent.map(({ item }) => keyOfRow(item)))
  return sent.length
}
