// The rules of comments. No I/O.
import * as z from 'zod/mini'
import type { Settings } from '../site/settings.ts'
import { type GuestComment, type OwnComment, Status } from './contract.ts'

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

/** The part of a comment that changes. */
export const CommentState = z.extend(
  z.pick(CommentContent, { id: true, post_id: true, path: true, user_id: true }),
  { status: Status },
)
export type CommentState = z.infer<typeof CommentState>

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

export function guestSubmission(
  slug: string,
  { author_name, author_email, body, parent_id }: z.output<typeof GuestComment>,
): Submission {
  const guest = { name: author_name, email: author_email }
  return { post: slug, parent_id, user_id: null, guest, body }
}

/** If both are given, `post_id` wins. */
export function userSubmission(
  userId: number,
  { post_id, post_slug = '', body, parent_id }: z.output<typeof OwnComment>,
): Submission {
  return { post: post_id ?? post_slug, parent_id, user_id: userId, guest: null, body }
}

export function requiresApproval(settings: Settings): boolean {
  return settings['comments.require_approval'] !== false
}

export function newCommentState(content: CommentContent, requiresApproval: boolean): CommentState {
  const { id, post_id, path, user_id } = content
  return { id, post_id, path, user_id, status: requiresApproval ? 'pending' : 'approved' }
}
