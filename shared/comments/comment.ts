// The rules of comments: which are visible, and what a change of status does. No I/O.
import * as z from 'zod/mini'
import type { Settings } from '../site/settings.ts'
import { type GuestComment, type OwnComment, Status } from './contract.ts'

/** Never changes. `path` has the ids from the root comment down to this one. */
export const CommentContent = z.object({
  id: z.int(),
  post_id: z.int(),
  path: z.array(z.int()),
  user_id: z.nullable(z.int()),
  /** The author of a comment without an account. Only admins see the address. */
  guest: z.nullable(z.object({ name: z.string(), email: z.string() })),
  body: z.string(),
  created_at: z.int(),
  schema: z.literal(1),
})
export type CommentContent = z.infer<typeof CommentContent>

/** Decides whether a comment is visible. Small, because all states of a post are sometimes read at once. */
export const CommentState = z.extend(
  z.pick(CommentContent, { id: true, post_id: true, path: true, user_id: true }),
  {
    status: Status,
    /** Whether the comment is in the public list; outdated while a recount of its thread is under way. */
    is_listed: z.boolean(),
    /** Set by the first reply and never unset. */
    has_replies: z.boolean(),
  },
)
export type CommentState = z.infer<typeof CommentState>

/** A root comment is of depth 1. */
export const DEEPEST = 3

export function parentOf({ path }: Pick<CommentContent, 'path'>): number | null {
  return path.at(-2) ?? null
}

/** By the id of the comment. The states of a comment's path decide whether it is visible. */
export type StatesById = Map<number, CommentState>
export function statesById(states: CommentState[]): StatesById {
  return new Map(states.map(state => [state.id, state]))
}

/** A reply is visible only while its parent is. */
export function isShown({ path }: CommentState, states: StatesById): boolean {
  return path.every(id => states.get(id)?.status === 'approved')
}

/** Whether a comment above this one was deleted. An orphan counts as deleted as well. */
export function isOrphan({ path }: CommentState, states: StatesById): boolean {
  return path.some(id => !states.has(id))
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

export function newComment(content: CommentContent, requiresApproval: boolean): CommentState {
  const status = requiresApproval ? 'pending' : 'approved'
  const { id, post_id, path, user_id } = content
  return { id, post_id, path, user_id, status, is_listed: status === 'approved', has_replies: false }
}

/** The state with another status, and whether its replies become visible or hidden. `states` has its path. */
export function withStatus(before: CommentState, status: Status, states: StatesById) {
  const after = { ...before, status }
  const [wasShown, is_listed] = [
    isShown(before, states),
    isShown(after, new Map([...states, [after.id, after]])),
  ]
  return { after: { ...after, is_listed }, affectsReplies: before.has_replies && wasShown !== is_listed }
}
