// Imports comments: on posts that are here, below the comments that they reply to.
import { findAuthors } from '../../../../shared/accounts/store/authors.ts'
import { ifStatusUnchanged, putComment } from '../../../../shared/comments/commands/write.ts'
import { type CommentContent, type CommentState, MAX_DEPTH } from '../../../../shared/comments/comment.ts'
import { commentData } from '../../../../shared/comments/events.ts'
import { listEntriesOf } from '../../../../shared/comments/lists.ts'
import { findContent, findState } from '../../../../shared/comments/store/comments.ts'
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
  const parent = await findParent(job, item, post_id)
  const user_id = item.user === null ? null : (idOf(job, item.user) ?? null)
  const { status, guest, body, created_at } = item.value
  const content: CommentContent = {
    id,
    post_id,
    path: [...(parent?.path ?? []), id],
    user_id,
    guest,
    body,
    created_at,
    schema: 1,
  }
  const state: CommentState = { id, post_id, path: content.path, user_id, status }
  const isThere: Action = {
    onConditionFailed: POST_DELETED,
    ConditionCheck: { Key: postKey(post_id), ...exists },
  }
  return {
    actions: [...putComment(content, state), ...(parent ? [ifStatusUnchanged(parent)] : []), isThere],
    lists: { after: listEntriesOf(state) },
    events: job.options.events === 'all' ? await eventsOf(job, content, state) : [],
  }
}

const POST_DELETED = 'post-deleted'

/** A reply that would be too deep is placed below the last comment that takes replies. */
async function findParent(
  { table, ...job }: ImportJob,
  item: CommentItem,
  post_id: number,
): Promise<CommentState | undefined> {
  if (item.parent === null) return undefined
  const content = await findContent(table, job.ids.get(item.parent) ?? 0)
  const path = content?.post_id === post_id ? content.path.slice(0, MAX_DEPTH - 1) : []
  const parent = path.length > 0 ? await findState(table, { post_id, path }) : undefined
  if (!parent) throw new Skip('The comment above it was deleted here.')
  return parent
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
