// Posts that wait for their time: a small partition that every public count looks at.
import * as z from 'zod/mini'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { SCHEDULED_PARTITION, scheduledKey, timeOrder } from '../../table/design.ts'
import { ContentType } from '../fields.ts'
import { publicListEntries } from '../lists.ts'
import type { Post } from '../post.ts'

const ScheduledRow = z.object({
  id: z.int(),
  title: z.string(),
  is_published: z.literal(true),
  posted_at: z.int(),
  content_type: ContentType,
  category_ids: z.array(z.int()),
})
export type ScheduledRow = z.infer<typeof ScheduledRow>

/** A published post stands here from its scheduling to its announcement. */
function waits(post: Post | null): post is Post & { posted_at: number } {
  return post?.is_published === true && post.posted_at !== null && !post.announced
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const was = waits(before) ? scheduledKey(before.posted_at, before.id) : undefined
  const is = waits(after) ? scheduledKey(after.posted_at, after.id) : undefined
  const put: Action[] = waits(after)
    ? [{ Put: { Item: { ...scheduledKey(after.posted_at, after.id), ...rowOf(after) } } }]
    : []
  return was && was.sk !== is?.sk ? [{ Delete: { Key: was } }, ...put] : put
}

function rowOf({
  id,
  title,
  posted_at,
  content_type,
  category_ids,
}: Post & { posted_at: number }): ScheduledRow {
  return {
    id,
    title,
    is_published: true,
    posted_at,
    content_type,
    category_ids,
  }
}

/** Those whose time is still to come: to be left out of every public count and list. */
export function listWaiting(table: Table, nowSeconds: number): Promise<ScheduledRow[]> {
  return table.query({ pk: SCHEDULED_PARTITION, from: timeOrder(nowSeconds + 1, 0) }, ScheduledRow)
}

/** Those whose time comes by `until`, the overdue first. */
export function listComingDue(table: Table, until: number, limit: number): Promise<ScheduledRow[]> {
  return table.query({ pk: SCHEDULED_PARTITION, to: timeOrder(until + 1, 0), limit }, ScheduledRow)
}

/** The order keys of the waiting in one list. */
export function hiddenIn(listName: string, waiting: ScheduledRow[]): string[] {
  return waiting.flatMap(row =>
    publicListEntries(row)
      .filter(({ list }) => list.name === listName)
      .map(({ order }) => order),
  )
}
