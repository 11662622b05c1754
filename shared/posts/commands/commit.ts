// Commits one change of a post as one transaction: record, body, slug, lists, schedule and events.
import { addToPublicPosts } from '../../accounts/commands/users.ts'
import { LONGEST_DELAY_SECONDS, type Message } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { PublicChangeAt } from '../../feed/commit.ts'
import type { Reply } from '../../http/reply.ts'
import type { DocItem } from '../../search/documents.ts'
import { indexChange } from '../../search/index-actions.ts'
import { SLUG_TAKEN } from '../../slugs/reserve.ts'
import { type Action, CONFLICT, changeOf, isAsRead, isNew, setMembers } from '../../table/action.ts'
import { claimText, membersOf, type PackedText, releaseText } from '../../table/blob.ts'
import { bodyKey, type Key, postKey, scheduledKey, slugKey } from '../../table/design.ts'
import { eventsOf } from '../events.ts'
import { textOf } from '../html-text.ts'
import { listChangeOf } from '../lists.ts'
import { noteOf, type Post, statusOf } from '../post.ts'
import type { BodyItem } from '../store/bodies.ts'
import { ScheduledRow } from '../store/scheduled.ts'

type PostWrite = {
  /** The stored post and the changed one; null before the post is created and after it is deleted. */
  before: Post | null
  after: Post | null
  /** The new body, or the one that stays. */
  body: string
  bodyActions: Action[]
  /** What the search index has of the post. */
  doc: DocItem | undefined
}

/** Throws ConditionFailed: CONFLICT if the post or a list has changed since it was read, or SLUG_TAKEN. */
export async function commitPost(
  work: UnitOfWork,
  write: PostWrite,
  reply?: Reply | Promise<Reply>,
): Promise<void> {
  const { nowMs, nowSeconds } = work
  const { before, body, bodyActions, doc } = write
  const after = write.after && { ...write.after, revision: (before?.revision ?? 0) + 1 }
  const siteUrl = await work.siteUrl()
  const change = {
    actions: [
      recordAction(before, after),
      ...slugActions(before, after),
      ...scheduledActions(before, after),
      ...bodyActions,
      ...countPublicPosts(before, after),
    ],
    public: publicChangeOf(nowSeconds, before, after),
    lists: listChangeOf(before, after),
    events: eventsOf(before, after, { nowSeconds, siteUrl }),
    messages: [...dueMessages(after, work), ...cleanUpMessages(before, after)],
    prepared: indexChange({ before, after, text: () => textOf(body) }, doc, nowMs),
  }
  await work.commit(change, reply)
}

/** Functions remember scheduled posts as well, since they become public without a write. */
function publicChangeOf(
  nowSeconds: number,
  before: Post | null,
  after: Post | null,
): PublicChangeAt | undefined {
  if (!before?.is_published && !after?.is_published) return undefined
  return nowMs => {
    const note = noteOf(before, after, Math.max(nowSeconds, Math.floor(nowMs / 1000)))
    return { raised: 'content', notes: note ? [note] : [] }
  }
}

/** `jobs` deletes the comments of a deleted post, which may be many. */
function cleanUpMessages(before: Post | null, after: Post | null): Message[] {
  if (!before || after) return []
  return [{ queue: 'jobs', body: { kind: 'comments', post_id: before.id, path: [] } }]
}

function recordAction(before: Post | null, after: Post | null): Action {
  if (after && !before) {
    return { onConditionFailed: CONFLICT, Put: { Item: { ...postKey(after.id), ...after }, ...isNew } }
  }
  if (after && before) {
    return { onConditionFailed: CONFLICT, Update: { Key: postKey(after.id), ...changeOf(before, after) } }
  }
  return { onConditionFailed: CONFLICT, Delete: { Key: postKey(before?.id ?? 0), ...isAsRead(before) } }
}

/** The lock contains the ids of post and author, so that readers fetch both in one round trip. */
export function slugActions(before: Post | null, after: Post | null): Action[] {
  if (before && after && before.slug === after.slug && before.author_id === after.author_id) return []
  const freed = before && before.slug !== after?.slug ? [{ Delete: { Key: slugKey(before.slug) } }] : []
  if (!after) return freed
  const [Key, members] = [slugKey(after.slug), { id: after.id, author_id: after.author_id }]
  const isFree = {
    ConditionExpression: 'attribute_not_exists(pk) OR id = :id',
    ExpressionAttributeValues: { ':id': after.id },
  }
  const lock: Action =
    before?.slug === after.slug
      ? { onConditionFailed: SLUG_TAKEN, Update: { Key, ...setMembers(members, isFree) } }
      : { onConditionFailed: SLUG_TAKEN, Put: { Item: { ...Key, ...members }, ...isFree } }
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

/** A scheduled post has a row until its publication is announced. */
function rowOf(post: Post | null): { key: Key; row: ScheduledRow } | undefined {
  const row = post && !post.announced ? ScheduledRow.safeParse(post).data : undefined
  return row && { key: scheduledKey(row.posted_at, row.id), row }
}

export function scheduledActions(before: Post | null, after: Post | null): Action[] {
  const [old, next] = [rowOf(before), rowOf(after)]
  if (old && old.key.sk === next?.key.sk) {
    return [{ Update: { Key: next.key, ...setMembers(next.row) } }]
  }
  return [
    ...(old ? [{ Delete: { Key: old.key } }] : []),
    ...(next ? [{ Put: { Item: { ...next.key, ...next.row } } }] : []),
  ]
}

/**
 * Stores `packed` as the body of the post and releases the body `before`. A body is its own item, byte for
 * byte, with the version of the post that changed it last.
 */
export function replaceBody(
  id: number,
  version: number,
  packed: PackedText,
  before: BodyItem | undefined,
  nowMs: number,
): Action[] {
  return [
    { Update: { Key: bodyKey(id), ...setMembers({ id, version, ...membersOf(packed) }) } },
    ...claimText(packed),
    ...releaseText(before, nowMs),
  ]
}

export function deleteBody(item: BodyItem | undefined, id: number, nowMs: number): Action[] {
  return [{ Delete: { Key: bodyKey(id) } }, ...releaseText(item, nowMs)]
}

/** A scheduled post counts from its announcement on. */
export function isCountedAsPublic(post: Pick<Post, 'is_published' | 'announced'>): boolean {
  return post.is_published && post.announced
}

/** The public posts of each author: the name of an author without any is no public content. */
export function countPublicPosts(before: Post | null, after: Post | null): Action[] {
  const left = before && isCountedAsPublic(before) ? before.author_id : undefined
  const shown = after && isCountedAsPublic(after) ? after.author_id : undefined
  if (left === shown) return []
  return [
    ...(left === undefined ? [] : [addToPublicPosts(left, -1)]),
    ...(shown === undefined ? [] : [addToPublicPosts(shown, 1)]),
  ]
}
