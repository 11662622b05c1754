// The outbox: a message is written in the transaction of its change, so that neither exists without the other.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { OUTBOX_SHARDS, outboxPartition } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { newEventId } from './event-id.ts'
import { type Message, parseBody, QUEUE_NAMES, QUEUES, type QueueName } from './message.ts'
import type { Sender } from './sender.ts'

type StoredMessage<Name extends QueueName = QueueName> = {
  queue: Name
  body: unknown
  not_before_ms: number
  group?: string | undefined
}
export type OutboxRow = Key & StoredMessage

const StoredRow = z
  .object({
    pk: z.string(),
    sk: z.string(),
    queue: z.enum(QUEUE_NAMES),
    body: z.unknown(),
    not_before_ms: z.number(),
    group: z.optional(z.string()),
  })
  // A queue refuses the whole batch for one message without its group.
  .check(z.refine(({ queue, group }) => !QUEUES[queue].isFifo || Boolean(group), { path: ['group'] }))

/** Rows sort by the moment they were written; the shard spreads them over partitions. */
export function outboxRow(message: Message, nowMs: number): OutboxRow {
  const sk = newEventId(nowMs)
  return {
    pk: outboxPartition((createHash('md5').update(sk).digest()[0] ?? 0) % OUTBOX_SHARDS),
    sk,
    queue: message.queue,
    body: message.body,
    not_before_ms: nowMs + (message.delaySeconds ?? 0) * 1000,
    ...(message.group && { group: message.group }),
  }
}

export function putRow(row: OutboxRow): Action {
  return { Put: { Item: row } }
}

/** The caller waits for its answer meanwhile, for each of both steps: a row that is left is swept. */
const WAITING_MS = 1_000

/**
 * Hands rows to their queues and deletes those that were taken. Never throws: what is left behind, the sweep
 * sends. A row that is sent and not deleted is sent again, which every consumer bears.
 */
export async function relay(
  { table, sender, log }: { table: Table; sender: Sender; log: (problem: unknown) => void },
  rows: OutboxRow[],
  nowMs: number,
): Promise<void> {
  if (rows.length === 0) return
  try {
    const sent = await sender.send(
      rows.map(row => messageOf(row, nowMs)),
      WAITING_MS,
    )
    const refused = sent.find(({ ok }) => !ok)
    if (refused) log(refused.problem)
    await table.removeMany(takenOf(rows, sent), WAITING_MS)
  } catch (problem) {
    log(problem)
  }
}

/** The keys of the rows that their queues have. */
export function takenOf(rows: Key[], sent: { ok: boolean }[]): Key[] {
  return rows.filter((_, n) => sent[n]?.ok).map(({ pk, sk }) => ({ pk, sk }))
}

/** What a row says, or why this version cannot read it: its queue, its shape or the kind of its message. */
export function readRow(item: Key, nowMs: number): { message: Message } | { problem: string } {
  const row = StoredRow.safeParse(item)
  if (!row.success) return { problem: wordsOf(row.error) }
  const body = QUEUES[row.data.queue].message.safeParse(row.data.body)
  return body.success ? { message: messageOf(row.data, nowMs) } : { problem: wordsOf(body.error) }
}

function wordsOf({ issues }: z.core.$ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.') || 'the row'}: ${code}`).join(', ')
}

/** SQS holds a message back for at most 15 minutes. */
const LONGEST_DELAY_SECONDS = 900

function messageOf<Name extends QueueName>(row: StoredMessage<Name>, nowMs: number): Message<Name> {
  const { queue, group, not_before_ms } = row
  const waitSeconds = Math.max(0, Math.ceil((not_before_ms - nowMs) / 1000))
  const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, waitSeconds)
  return {
    queue,
    body: parseBody(queue, row.body),
    ...(!QUEUES[queue].isFifo && { delaySeconds }),
    ...(group !== undefined && { group }),
  }
}
