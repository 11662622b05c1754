// Commits one change of a post as one transaction: record, body, slug, lists, schedule and events.
import { NO_RECOUNT, startRecount } from '../../comments/commands/recount.ts'
import { LONGEST_DELAY_SECONDS, type Message } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { Reply } from '../../http/reply.ts'
import type { NodeItems } from '../../lists/counted-list.ts'
import { indexActions } from '../../search/commands/index-actions.ts'
import { indexMessages } from '../../search/document.ts'
import type { StoredDoc } from '../../search/store/documents.ts'
import { SLUG_TAKEN } from '../../slugs/reserve.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { isAsRead } from '../../table/conditions.ts'
import { postKey, slugKey } from '../../table/design.ts'
import { eventsOf } from '../events.ts'
import { listChangeOf } from '../lists.ts'
import { noteOf } from '../note.ts'
import { type Post, statusOf } from '../post.ts'
import { rememberPost } from '../store/remembered.ts'
import { scheduledActions } from './schedule.ts'

export type PostWrite = {
  /** The stored post and the changed one; null before the post is created and after it is deleted. */
  before: Post | null
  after: Post | null
  /** The new body, or the one that stays. */
  body: string
  bodyActions: Action[]
  /** What the search index has of the post. */
  doc: StoredDoc
  /** Nodes of its lists that were read before. Undefined after a conflict. */
  nodesAhead?: NodeItems | undefined
}

/** Throws ConditionFailed: CONFLICT if the post or a list has changed since it was read, or SLUG_TAKEN. */
export async function commitPost(
  work: UnitOfWork,
  { before, after, body, bodyActions, doc, nodesAhead }: PostWrite,
  reply?: Reply | Promise<Reply>,
): Promise<void> {
  const next = after && { ...after, revision: (before?.revision ?? 0) + 1 }
  const siteUrl = await work.siteUrl()
  const indexing = indexActions(work.table, { before, after: next, body, stored: doc }, work.nowMs)
  // The comments of a deleted post disappear immediately; the cleanup worker deletes them in batches.
  const comments = before && !after ? startRecount(before.id, 'all') : NO_RECOUNT
  const note = noteOf(before, after, work.nowSeconds)
  const change = {
    actions: [...ownActions(before, next), ...bodyActions, ...comments.actions],
    public: note && { raised: 'content' as const, notes: [note] },
    lists: { ...listChangeOf(before, next), ahead: nodesAhead },
    events: eventsOf(before, next, { nowSeconds: work.nowSeconds, siteUrl }),
    messages: [...dueMessages(next, work), ...comments.messages],
    prepared: indexing.then(actions => ({
      actions,
      messages: actions.length > 0 ? indexMessages(before, next) : [],
    })),
  }
  await work.commit(change, reply)
  if (next) rememberPost(work.table, next)
}

/** The actions on the post's record, slug and schedule. */
export function ownActions(before: Post | null, after: Post | null): Action[] {
  return [recordAction(before, after), ...slugActions(before, after), ...scheduledActions(before, after)]
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

/** The lock contains the ids of post and author, so that readers fetch both in one round trip. */
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

/** The sweep sends the message of a post that is due later than SQS can delay it. */
function dueMessages(post: Post | null, { nowMs, nowSeconds }: UnitOfWork): Message[] {
  if (!post || post.posted_at === null || statusOf(post, nowSeconds) !== 'scheduled') return []
  const delaySeconds = Math.ceil((post.posted_at * 1000 - nowMs) / 1000)
  if (delaySeconds > LONGEST_DELAY_SECONDS) return []
  return [
    { queue: 'events', delaySeconds, body: { kind: 'due', post_id: post.id, posted_at: post.posted_at } },
  ]
}
