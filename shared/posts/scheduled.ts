// Posts that wait for their time: a small partition that every public count looks at.
import * as z from 'zod/mini'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { scheduledKey, scheduledPartition, timeOrder } from '../table/design.ts'
import { ContentType } from './fields.ts'
import { publicPlaces } from './places.ts'
import type { Post } from './post.ts'

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
const waits = (post: Post | null): post is Post & { posted_at: number } =>
  post?.is_published === true && post.posted_at !== null && !post.announced

export const scheduledActions = (before: Post | null, after: Post | null): Action[] => {
  const was = waits(before) ? scheduledKey(before.posted_at, before.id) : undefined
  const is = waits(after) ? scheduledKey(after.posted_at, after.id) : undefined
  const put: Action[] = waits(after)
    ? [{ Put: { Item: { ...scheduledKey(after.posted_at, after.id), ...rowOf(after) } } }]
    : []
  return was && was.sk !== is?.sk ? [{ Delete: { Key: was } }, ...put] : put
}

const rowOf = ({
  id,
  title,
  posted_at,
  content_type,
  category_ids,
}: Post & { posted_at: number }): ScheduledRow => ({
  id,
  title,
  is_published: true,
  posted_at,
  content_type,
  category_ids,
})

/** Those whose time is still to come: to be left out of every public count and list. */
export const listWaiting = (table: Table, now: number): Promise<ScheduledRow[]> =>
  table.query({ pk: scheduledPartition, from: timeOrder(now + 1, 0) }, ScheduledRow)

/** Those whose time comes by `until`, the overdue first. */
export const listComingDue = (table: Table, until: number, limit: number): Promise<ScheduledRow[]> =>
  table.query({ pk: scheduledPartition, to: timeOrder(until + 1, 0), limit }, ScheduledRow)

/** The order keys of the waiting in one list. */
export const hiddenIn = (listName: string, waiting: ScheduledRow[]): string[] =>
  waiting.flatMap(row =>
    publicPlaces(row)
      .filter(({ list }) => list.name === listName)
      .map(({ order }) => order),
  )
