// Posts that wait for their time: a small partition that every public count looks at.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { SCHEDULED_PARTITION, timeOrder } from '../../table/design.ts'
import { PublicEntry } from '../post.ts'

export const ScheduledRow = z.extend(PublicEntry, { is_published: z.literal(true), posted_at: z.int() })
export type ScheduledRow = z.infer<typeof ScheduledRow>

/** Those whose time is still to come: to be left out of every public count and list. */
export function listScheduled(table: Table, nowSeconds: number): Promise<ScheduledRow[]> {
  return table.query({ pk: SCHEDULED_PARTITION, from: timeOrder(nowSeconds + 1, 0) }, ScheduledRow)
}

/** Those whose time comes by `until`, the overdue first. */
export function listComingDue(table: Table, until: number, limit: number): Promise<ScheduledRow[]> {
  return table.query({ pk: SCHEDULED_PARTITION, to: timeOrder(until + 1, 0), limit }, ScheduledRow)
}
