// The outbox: messages are written in the transaction of their change, so that none is sent without it.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { exists, ignoreConditionFailed } from '../table/conditions.ts'
import { OUTBOX_SHARDS, outboxPartition } from '../table/design.ts'
import type { Item, Key } from '../table/key.ts'
import { newEventId } from './event-id.ts'
import {
  combinesSeconds,
  LONGEST_DELAY_SECONDS,
  type Message,
  parseBody,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
} from './message.ts'
import type { Sender } from './sender.ts'

type StoredMessage<Name extends QueueName = QueueName> = {
  queue: Name
  body: unknown
  not_before_ms: number
  group?: string | undefined
}
export type OutboxRow = Key & StoredMessage & { schema: number }

const StoredRow = z
  .object({
    pk: z.string(),
    sk: z.string(),
    queue: z.enum(QUEUE_NAMES),
    body: z.unknown(),
    not_before_ms: z.number(),
    group: z.optional(z.string()),
  })
  // A FIFO queue rejects the whole batch if one message has no group.
  .check(z.refine(({ queue, group }) => !QUEUES[queue].isFifo || Boolean(group), { path: ['group'] }))

/** The messages of a change: those with a row, and those of which a queue needs one in a while. */
export type Outbox = { rows: OutboxRow[]; combined: Message[] }

export function outboxOf(messages: Message[], nowMs: number): Outbox {
  const isCombined = ({ queue }: Message) => combinesSeconds(queue) > 0
  return {
    rows: messages.filter(message => !isCombined(message)).map(message => outboxRow(message, nowMs)),
    combined: messages.filter(isCombined),
  }
}

/** Rows sort by time. The shard spreads them over partitions. */
export function outboxRow(message: Message, nowMs: number): OutboxRow {
  const sk = newEventId(nowMs)
  return {
    pk: outboxPartition((createHash('md5').update(sk).digest()[0] ?? 0) % OUTBOX_SHARDS),
    sk,
    queue: message.queue,
    body: message.body,
    not_before_ms: nowMs + (message.delaySeconds ?? 0) * 1000,
    ...(message.group && { group: message.group }),
    schema: 1,
  }
}

export function putRow(row: OutboxRow): Action {
  return { Put: { Item: row } }
}

/** For sending and for marking, because the caller waits. The sweep sends what is left. */
const STEP_TIMEOUT_MS = 1_000

type Relay = { table: Table; sender: Sender; log: (problem: unknown) => void }

/**
 * Sends messages without rows while their change is written: their queue delays them until after it, and the
 * worker of one whose change fails finds no work. Never throws.
 */
export async function relayCombined(
  { sender, log }: Omit<Relay, 'table'>,
  { combined }: Outbox,
): Promise<void> {
  if (combined.length === 0) return
  try {
    const refused = (await sender.send(combined, STEP_TIMEOUT_MS)).find(({ ok }) => !ok)
    if (refused) log(refused.problem)
  } catch (problem) {
    log(problem)
  }
}

/**
 * Sends messages to their queues, whose workers delete the rows. Never throws: the sweep sends rows that are
 * marked as unsent, and finds those that were neither sent nor marked. It may send a row twice.
 */
export async function relay(
  { table, sender, log }: Relay,
  { rows }: Pick<Outbox, 'rows'>,
  nowMs: number,
): Promise<void> {
  const messages = rows.map(row => messageOf(row, nowMs))
  if (messages.length === 0) return
  try {
    const sent = await sender
      .send(messages, STEP_TIMEOUT_MS)
      .catch(error => messages.map(() => ({ ok: false, problem: String(error) })))
    const refused = sent.find(({ ok }) => !ok)
    if (!refused) return
    log(refused.problem)
    const unsent = rows.filter((_, n) => !sent[n]?.ok)
    await markUnsent(table, unsent, STEP_TIMEOUT_MS)
  } catch (problem) {
    log(problem)
  }
}

/** A row that a worker deleted is not written again, since the worker has its message. */
export async function markUnsent(table: Table, rows: Item[], timeoutMs?: number): Promise<void> {
  const mark = (row: Item) =>
    table
      .write({ Put: { Item: { ...row, unsent: true }, ...exists } }, timeoutMs)
      .catch(ignoreConditionFailed)
  await Promise.all(rows.map(mark))
}

/** Parses a row. A problem says why this version cannot read its queue, its shape or its kind of message. */
export function readRow(item: Key, nowMs: number): { message: Message } | { problem: string } {
  const row = StoredRow.safeParse(item)
  if (!row.success) return { problem: describeIssues(row.error) }
  const body = QUEUES[row.data.queue].message.safeParse(row.data.body)
  return body.success ? { message: messageOf(row.data, nowMs) } : { problem: describeIssues(body.error) }
}

function describeIssues({ issues }: z.core.$ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.') || 'the row'}: ${code}`).join(', ')
}

/** A message that must wait longer than SQS can delay arrives early: its consumer checks the time. */
function messageOf<Name extends QueueName>(row: Key & StoredMessage<Name>, nowMs: number): Message<Name> {
  const { pk, sk, queue, group, not_before_ms } = row
  const waitSeconds = Math.max(0, Math.ceil((not_before_ms - nowMs) / 1000))
  const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, waitSeconds)
  return {
    queue,
    // With members of a newer version, if that wrote the row.
    body: { ...parseBody(queue, row.body), ...Object(row.body) },
    ...(!QUEUES[queue].isFifo && { delaySeconds }),
    ...(group !== undefined && { group }),
    row: { pk, sk },
  }
}
