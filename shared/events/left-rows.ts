// Decides which outbox rows were left behind. Most rows wait for a worker: their messages are in a queue.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { outboxPartitions } from '../table/design.ts'
import type { Item } from '../table/key.ts'
import { timeOfEventId } from './event-id.ts'
import { OUTBOX_QUEUES, type QueueName } from './message.ts'
import type { QueueDepth } from './queue-depth.ts'

/** The numbers of a queue may lag behind its messages by a minute. */
const LEFT_AFTER_MS = 60_000
/** A queue that is never empty hides a message that was never sent. After this time it may be one. */
const LOST_AFTER_MS = 15 * 60_000
/** The most rows that are listed of each shard. */
const MAX_LISTED = 100

export type RowState = {
  queue: string
  /** When the row was written. */
  atMs: number
  /** When its message becomes visible in the queue. */
  dueMs: number
  /** The queue refused the message or did not answer. */
  isUnsent: boolean
}

/** Tolerant, because another version may have written the row. */
const State = z.object({
  sk: z.string(),
  queue: z.catch(z.string(), 'unknown'),
  not_before_ms: z.catch(z.number(), 0),
  unsent: z.catch(z.boolean(), false),
})

export function stateOf(item: Item): RowState {
  const { sk, queue, not_before_ms, unsent } = State.parse(item)
  const atMs = timeOfEventId(sk)
  return { queue, atMs, dueMs: Math.max(atMs, not_before_ms), isUnsent: unsent }
}

/** Whether a queue had no message that waits for a worker or is in flight. */
export type IsEmpty = (queue: string) => boolean
export type DepthOf = (queue: QueueName) => Promise<QueueDepth>

/**
 * Read before the rows: a row that still exists after its queue was empty has no message in the queue. A
 * queue that does not answer counts as not empty. One that this version does not have holds nothing for it.
 */
export async function readEmptyQueues(depthOf: DepthOf): Promise<IsEmpty> {
  const depths = await Promise.allSettled(OUTBOX_QUEUES.map(depthOf))
  const busy = depths.map(read => read.status === 'rejected' || read.value.waiting + read.value.inFlight > 0)
  const busyQueues = new Set<string>(OUTBOX_QUEUES.filter((_, n) => busy[n]))
  return queue => !busyQueues.has(queue)
}

/** No queue has the message of such a row. */
export function isLeft({ queue, dueMs, isUnsent }: RowState, nowMs: number, isEmpty: IsEmpty): boolean {
  return isUnsent || (nowMs - dueMs >= LEFT_AFTER_MS && isEmpty(queue))
}

/** The queue of such a row has messages, but perhaps not this one. */
export function mayBeLost({ dueMs }: RowState, nowMs: number): boolean {
  return nowMs - dueMs >= LOST_AFTER_MS
}

/** The oldest rows of each shard, up to 100. */
export async function listRows(table: Table): Promise<RowState[]> {
  const span = { limit: MAX_LISTED, only: ['pk', 'sk', 'queue', 'not_before_ms', 'unsent'] }
  const Row = z.looseObject({ pk: z.string(), sk: z.string() })
  const shards = await Promise.all(outboxPartitions().map(pk => table.query({ pk, ...span }, Row)))
  return shards.flat().map(stateOf)
}

export type LeftRow = { queue: string; sinceMs: number }

/** The rows that were left behind, of those that are listed, with the time since which they wait. */
export async function listLeftRows(table: Table, nowMs: number, isEmpty: IsEmpty): Promise<LeftRow[]> {
  return leftRowsOf(await listRows(table), nowMs, isEmpty)
}

/** Oldest first. */
export function leftRowsOf(rows: RowState[], nowMs: number, isEmpty: IsEmpty): LeftRow[] {
  return rows
    .filter(row => isLeft(row, nowMs, isEmpty))
    .map(({ queue, atMs, dueMs, isUnsent }) => ({ queue, sinceMs: isUnsent ? atMs : dueMs }))
    .sort((a, b) => a.sinceMs - b.sinceMs)
}
