// The record of a comment: its rules, lists, events, and how the API shows it. No I/O.
import * as z from 'zod/mini'
import { type Author, nameOf } from '../accounts/user.ts'
import { COMMENT_STATUSES, type EventData } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import { fixedList, type List, type ListEntry } from '../lists/counted-list.ts'
import type { Settings } from '../site/settings.ts'
import { sortable } from '../table/design.ts'
import type { AdminComment, Comment } from './contract.ts'

/** The part of a comment that never changes. `path` has the ids from the root comment down to this one. */
export const CommentContent = z.object({
  id: z.int(),
  post_id: z.int(),
  path: z.array(z.int()),
  user_id: z.nullable(z.int()),
  /** The author of a comment without an account. Only admins see the address. */
  guest: z.nullable(z.object({ name: z.string(), email: z.string() })),
  body: z.string(),
  created_at: z.int(),
  schema: z.int(),
})
export type CommentContent = z.infer<typeof CommentContent>

/** An item of a list: the ids that are needed to read the comment and its author in parallel. */
export const CommentEntry = z.pick(CommentContent, { id: true, post_id: true, path: true, user_id: true })
export type CommentEntry = z.infer<typeof CommentEntry>

/** The part of a comment that changes. */
export const CommentState = z.extend(CommentEntry, { status: z.enum(COMMENT_STATUSES) })
export type CommentState = z.infer<typeof CommentState>
export type Status = CommentState['status']

/** The depth of a root comment is 1. */
export const MAX_DEPTH = 3

export function parentOf({ path }: Pick<CommentContent, 'path'>): number | null {
  return path.at(-2) ?? null
}

export type Submission = Pick<CommentContent, 'user_id' | 'guest' | 'body'> & {
  /** The slug or the id of the post. */
  post: string | number
  parent_id: number | null
}

export function requiresApproval(settings: Settings): boolean {
  return settings['comments.require_approval'] !== false
}

export function newCommentState(content: CommentContent, requiresApproval: boolean): CommentState {
  return { ...CommentEntry.parse(content), status: requiresApproval ? 'pending' : 'approved' }
}

/** The approved comments of a post. */
export function publicList(postId: number): List {
  return fixedList(`comments:post:${postId}`, 'ascending')
}

export function ownList(userId: number): List {
  return fixedList(`comments:user:${userId}`, 'descending')
}

export function adminList(status: Status | undefined): List {
  return fixedList(`comments:${status ?? 'all'}`, 'descending')
}

/** Every list of comments; a function stands for one list per id. The doctor checks these. */
export function listsOfComments() {
  return [publicList, ownList, ...[undefined, ...COMMENT_STATUSES].map(adminList)]
}

/** Entries only refer to the comment: its text is too long for a list, and its status changes. */
export function listEntriesOf(state: CommentState): ListEntry[] {
  const { id, post_id, user_id, status } = state
  const item = CommentEntry.parse(state)
  return [
    adminList(undefined),
    adminList(status),
    ...(user_id === null ? [] : [ownList(user_id)]),
    ...(status === 'approved' ? [publicList(post_id)] : []),
  ].map(list => ({ list, order: sortable(id), item }))
}

/** Profiles by user id. The name of a guest is in the comment itself. */
type Authors = Map<number, Author>

function authorOf({ user_id, guest }: CommentContent, authors: Authors) {
  if (user_id === null) return { name: guest?.name ?? '', avatar: null }
  const author = authors.get(user_id)
  return { name: nameOf(author), avatar: author?.avatar ?? null }
}

export function commentData(
  content: CommentContent,
  status: Status,
  { authors, slug, siteUrl }: { authors: Authors; slug: string; siteUrl: string },
): EventData<'comment.created'> {
  return {
    id: content.id,
    post_id: content.post_id,
    slug,
    url: `${siteUrl}/blog/${encodeURIComponent(slug)}#comment-${content.id}`,
    parent_id: parentOf(content),
    status,
    author_name: authorOf(content, authors).name,
  }
}

/** To readers and to its author. */
export function commentView(content: CommentContent, status: Status, authors: Authors): Comment {
  return {
    id: content.id,
    post_id: content.post_id,
    parent_id: parentOf(content),
    author: authorOf(content, authors),
    body: content.body,
    status,
    created_at: isoTime(content.created_at),
  }
}

type AdminDetails = { authors: Map<number, Author & { email: string }>; slug: string }

export function adminView(
  content: CommentContent,
  status: Status,
  { authors, slug }: AdminDetails,
): AdminComment {
  return {
    ...commentView(content, status, authors),
    user_id: content.user_id,
    author_email: content.guest?.email ?? authors.get(content.user_id ?? 0)?.email ?? '',
    post_slug: slug,
  }
}
