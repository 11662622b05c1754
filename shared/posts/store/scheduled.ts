// Reads scheduled posts. Their rows are a small partition that every public list and count reads.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { SCHEDULED_PARTITION, timeOrder } from '../../table/design.ts'
import { PublicEntry } from '../post.ts'

export const ScheduledRow = z.extend(PublicEntry, { is_published: z.literal(true), posted_at: z.int() })
export type ScheduledRow = z.infer<typeof ScheduledRow>

/** Returns the posts that are not yet due, which public lists and counts leave out. */
export function listScheduled(table: Table, nowSeconds: number, limit?: number): Promise<ScheduledRow[]> {
  const span = { pk: SCHEDULED_PARTITION, from: timeOrder(nowSeconds + 1, 0) }
  return table.query(limit === undefined ? span : { ...span, limit }, ScheduledRow)
}

/** Returns the posts that are due at `untilSeconds` at the latest, overdue ones first. */
export function listComingDue(table: Table, untilSeconds: number, limit: number): Promise<ScheduledRow[]> {
  return table.query({ pk: SCHEDULED_PARTITION, to: timeOrder(untilSeconds + 1, 0), limit }, ScheduledRow)
}

/** The scheduled posts after a key that are due by now, and that no worker has announced yet. */
export async function listDueAfter(
  table: Table,
  after: string,
  nowSeconds: number,
  limit: number,
): Promise<ScheduledRow[]> {
  const span = { pk: SCHEDULED_PARTITION, from: `${after}\0`, to: timeOrder(nowSeconds + 1, 0), limit }
  // The clock that chose `after` may be ahead, and DynamoDB refuses a span that ends before its start.
  return span.from <= span.to ? await table.query(span, ScheduledRow) : []
}
