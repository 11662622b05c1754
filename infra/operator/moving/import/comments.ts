// Imports comments: on posts that are here, below the comments that they reply to.
import { findAuthors } from '../../../../shared/accounts/store/authors.ts'
import { ifAncestorsUnchanged, markReplied, putComment } from '../../../../shared/comments/commands/write.ts'
import {
  type CommentContent,
  type CommentState,
  isVisible,
  MAX_DEPTH,
  type StatesById,
} from '../../../../shared/comments/comment.ts'
import { commentData } from '../../../../shared/comments/events.ts'
import { listEntriesOf } from '../../../../shared/comments/lists.ts'
import { findContent, findPath } from '../../../../shared/comments/store/comments.ts'
import type { DomainEvent } from '../../../../shared/events/catalogue.ts'
import { Post } from '../../../../shared/posts/post.ts'
import type { Action } from '../../../../shared/table/action.ts'
import { exists } from '../../../../shared/table/conditions.ts'
import { commentKey, postKey } from '../../../../shared/table/design.ts'
import type { CommentItem } from '../item.ts'
import { type ImportJob, idOf } from './job.ts'
import { type Maker, Skip } from './maker.ts'

function check(job: ImportJob, { post, parent }: CommentItem): void {
  if (idOf(job, post) === undefined) throw new Skip('Its post was not imported.')
  if (parent !== null && idOf(job, parent) === undefined) throw new Skip('The comment above it is not here.')
}

async function change(job: ImportJob, item: CommentItem, id: number) {
  const post_id = idOf(job, item.post) ?? 0
  const { path, states } = await pathBelow(job, item, post_id)
  const user_id = item.user === null ? null : (idOf(job, item.user) ?? null)
  const { status, guest, body, created_at } = item.value
  const content: CommentContent = {
    id,
    post_id,
    path: [...path, id],
    user_id,
    guest,
    body,
    created_at,
    schema: 1,
  }
  const own: CommentState = {
    id,
    post_id,
    path: content.path,
    user_id,
    status,
    is_listed: false,
    has_replies: false,
  }
  const state = { ...own, is_listed: isVisible(own, new Map([...states, [id, own]])) }
  const parent = states.get(path.at(-1) ?? 0)
  const isThere: Action = {
    onConditionFailed: POST_DELETED,
    ConditionCheck: { Key: postKey(post_id), ...exists },
  }
  return {
    actions: [
      ...putComment(content, state),
      ...(parent ? [markReplied(parent), ...ifAncestorsUnchanged([parent], states)] : []),
      isThere,
    ],
    lists: { after: listEntriesOf(state) },
    events: job.options.events === 'all' ? await eventsOf(job, content, state) : [],
  }
}

const POST_DELETED = 'post-deleted'

type Above = { path: number[]; states: StatesById }

/** A reply that would be too deep is placed below the last comment that takes replies. */
async function pathBelow({ table, ...job }: ImportJob, item: CommentItem, postId: number): Promise<Above> {
  if (item.parent === null) return { path: [], states: new Map() }
  const parent = await findContent(table, job.ids.get(item.parent) ?? 0)
  if (parent?.post_id !== postId) throw new Skip('The comment above it was deleted here.')
  const path = parent.path.slice(0, MAX_DEPTH - 1)
  const states = await findPath(table, { post_id: postId, path })
  if (states.size < path.length) throw new Skip('The comment above it was deleted here.')
  return { path, states }
}

async function eventsOf(
  { table, work }: ImportJob,
  content: CommentContent,
  { status }: CommentState,
): Promise<DomainEvent[]> {
  const [post, authors, siteUrl] = await Promise.all([
    table.find(postKey(content.post_id), Post),
    findAuthors(table, content.user_id === null ? [] : [content.user_id]),
    work().siteUrl(),
  ])
  if (!post) throw new Skip('Its post was deleted here.')
  return [
    { event: 'comment.created', data: commentData(content, status, { authors, slug: post.slug, siteUrl }) },
  ]
}

export const COMMENTS: Maker<CommentItem> = { counter: 'comment', keyOf: commentKey, check, change }
