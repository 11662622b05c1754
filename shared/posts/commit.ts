// One change of a post as one transaction: record, body, slug, lists, schedule and what there is to tell.

import { move, NO_MOVE } from '../comments/moving.ts'
import type { Message } from '../events/message.ts'
import type { Reply } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { indexMessages } from '../search/doc.ts'
import { unindexedActions } from '../search/doc-store.ts'
import { type Action, STALE } from '../table/action.ts'
import { planMoves, settle } from '../table/counted-list.ts'
import { postKey, slugKey } from '../table/design.ts'
import { placesOf } from './places.ts'
import { type Post, statusOf } from './post.ts'
import { scheduledActions } from './scheduled.ts'
import { SLUG_TAKEN } from './slug-taking.ts'
import { tellingsOf } from './telling.ts'

export type PostWrite = {
  /** As it is kept, and as it is after; null where there is none. */
  before: Post | null
  after: Post | null
  bodyActions: Action[]
}

/** Throws Refused: STALE when the post or a list has changed since, SLUG_TAKEN when another has the slug. */
export const commitPost = async (
  work: Work,
  { before, after, bodyActions }: PostWrite,
  reply?: Reply,
): Promise<void> => {
  const next = after && { ...after, revision: (before?.revision ?? 0) + 1 }
  const plan = await planMoves(work.table, before ? placesOf(before) : [], next ? placesOf(next) : [])
  const siteUrl = await work.siteUrl()
  // Its comments go with it: the lists they stand in know at once, and are cleared in steps.
  const comments = before && !after ? move(before.id, 'all') : NO_MOVE
  const change = {
    actions: [...ownActions(before, next), ...bodyActions, ...plan.actions, ...comments.actions],
    happenings: tellingsOf(before, next, { now: work.nowSeconds, siteUrl }),
    messages: [...dueMessages(next, work), ...indexMessages(before, next), ...comments.messages],
  }
  await work.commit(change, reply)
  await settle(work.table, plan.touched)
}

/** The post's record, slug, schedule, and what a search must not find any more. */
export const ownActions = (before: Post | null, after: Post | null): Action[] => [
  recordAction(before, after),
  ...slugActions(before, after),
  ...scheduledActions(before, after),
  ...unindexedActions(before, after),
]

const recordAction = (before: Post | null, after: Post | null): Action => {
  const unchanged = {
    ConditionExpression: 'revision = :r',
    ExpressionAttributeValues: { ':r': before?.revision ?? 0 },
  }
  if (after)
    return {
      refused: STALE,
      Put: {
        Item: { ...postKey(after.id), ...after },
        ...(before ? unchanged : { ConditionExpression: 'attribute_not_exists(pk)' }),
      },
    }
  return { refused: STALE, Delete: { Key: postKey(before?.id ?? 0), ...unchanged } }
}

/** The lock names post and author, so that readers fetch both at once. */
export const slugActions = (before: Post | null, after: Post | null): Action[] => {
  if (before && after && before.slug === after.slug && before.author_id === after.author_id) return []
  const freed = before && before.slug !== after?.slug ? [{ Delete: { Key: slugKey(before.slug) } }] : []
  if (!after) return freed
  const lock: Action = {
    refused: SLUG_TAKEN,
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

const dueMessages = (post: Post | null, { nowMs, nowSeconds }: Work): Message[] => {
  if (!post || post.posted_at === null || statusOf(post, nowSeconds) !== 'scheduled') return []
  const delaySeconds = Math.ceil((post.posted_at * 1000 - nowMs) / 1000)
  if (delaySeconds > LONGEST_DELAY_SECONDS) return []
  return [
    { queue: 'events', delaySeconds, body: { kind: 'due', post_id: post.id, posted_at: post.posted_at } },
  ]
}
