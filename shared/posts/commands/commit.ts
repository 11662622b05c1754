// One change of a post as one transaction: record, body, slug, lists, schedule and what there is to tell.

import { NO_RECOUNT, startRecount } from '../../comments/commands/recount.ts'
import type { Message } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { Reply } from '../../http/reply.ts'
import { tombstoneActions } from '../../search/commands/tombstones.ts'
import { indexMessages } from '../../search/doc.ts'
import { SLUG_TAKEN } from '../../slugs/reserve.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { isAsRead } from '../../table/conditions.ts'
import { postKey, slugKey } from '../../table/design.ts'
import { eventsOf } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { type Post, statusOf } from '../post.ts'
import { scheduledActions } from './schedule.ts'

export type PostWrite = {
  /** As it is kept, and as it is after; null where there is none. */
  before: Post | null
  after: Post | null
  bodyActions: Action[]
}

/** Throws Refused: STALE when the post or a list has changed since, SLUG_TAKEN when another has the slug. */
export async function commitPost(
  work: UnitOfWork,
  { before, after, bodyActions }: PostWrite,
  reply?: Reply,
): Promise<void> {
  const next = after && { ...after, revision: (before?.revision ?? 0) + 1 }
  const siteUrl = await work.siteUrl()
  // Its comments go with it: the lists they stand in know at once, and are cleared in steps.
  const comments = before && !after ? startRecount(before.id, 'all') : NO_RECOUNT
  const change = {
    actions: [...ownActions(before, next), ...bodyActions, ...comments.actions],
    lists: { before: before ? listEntriesOf(before) : [], after: next ? listEntriesOf(next) : [] },
    events: eventsOf(before, next, { nowSeconds: work.nowSeconds, siteUrl }),
    messages: [...dueMessages(next, work), ...indexMessages(before, next), ...comments.messages],
  }
  await work.commit(change, reply)
}

/** The post's record, slug, schedule, and what a search must not find any more. */
export function ownActions(before: Post | null, after: Post | null): Action[] {
  return [
    recordAction(before, after),
    ...slugActions(before, after),
    ...scheduledActions(before, after),
    ...tombstoneActions(before, after),
  ]
}

function recordAction(before: Post | null, after: Post | null): Action {
  if (after) {
    return {
      onConditionFailed: CONFLICT,
      Put: { Item: { ...postKey(after.id), ...after }, ...isAsRead(before) },
    }
  }
  return { onConditionFailed: CONFLICT, Delete: { Key: postKey(before?.id ?? 0), ...isAsRead(before) } }
}

/** The lock names post and author, so that readers fetch both at once. */
export function slugActions(before: Post | null, after: Post | null): Action[] {
  if (before && after && before.slug === after.slug && before.author_id === after.author_id) return []
  const freed = before && before.slug !== after?.slug ? [{ Delete: { Key: slugKey(before.slug) } }] : []
  if (!after) return freed
  const lock: Action = {
    onConditionFailed: SLUG_TAKEN,
    Put: {
      Item: { ...slugKey(after.slug), id: after.id, author_id: after.author_id },
      ConditionExpression: 'attribute_not_exists(pk) OR id = :id',
      ExpressionAttributeValues: { ':id': after.id },
    },
  }
  return [...freed, lock]
}

/** SQS holds a message for 15 minutes; what is due later, the sweep sends. */
const LONGEST_DELAY_SECONDS = 900

function dueMessages(post: Post | null, { nowMs, nowSeconds }: UnitOfWork): Message[] {
  if (!post || post.posted_at === null || statusOf(post, nowSeconds) !== 'scheduled') return []
  const delaySeconds = Math.ceil((post.posted_at * 1000 - nowMs) / 1000)
  if (delaySeconds > LONGEST_DELAY_SECONDS) return []
  return [
    { queue: 'events', delaySeconds, body: { kind: 'due', post_id: post.id, posted_at: post.posted_at } },
  ]
}
