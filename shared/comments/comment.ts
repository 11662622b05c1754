// The rules of comments: who is seen, what a change of status does, how one is shown and told. No I/O.
import * as z from 'zod/mini'
import { Status } from './contract.ts'

/** What was said, by whom and where: never changed. `path` is from the root comment down to this one. */
export const CommentContent = z.object({
  id: z.int(),
  post_id: z.int(),
  path: z.array(z.int()),
  user_id: z.nullable(z.int()),
  /** Of who has no account; only admins see the address. */
  guest: z.nullable(z.object({ name: z.string(), email: z.string() })),
  body: z.string(),
  created_at: z.int(),
  schema: z.literal(1),
})
export type CommentContent = z.infer<typeof CommentContent>

/** What is to be known of a comment without its words: small, as a whole post's are read together at times. */
export const CommentState = z.extend(
  z.pick(CommentContent, { id: true, post_id: true, path: true, user_id: true }),
  {
    status: Status,
    /** Whether it stands in the public list: for a while after a change above it, that is not what it should be. */
    is_listed: z.boolean(),
    /** Set by its first reply, for good. */
    has_replies: z.boolean(),
  },
)
export type CommentState = z.infer<typeof CommentState>

/** A root comment is of depth 1. */
export const DEEPEST = 3

export function parentOf({ path }: Pick<CommentContent, 'path'>): number | null {
  return path.at(-2) ?? null
}

/** Standings by id: those of a comment's path are enough to judge it. */
export type StatesById = Map<number, CommentState>
export function statesById(standings: CommentState[]): StatesById {
  return new Map(standings.map(one => [one.id, one]))
}

/** A reply shows only while its parent does. */
export function isShown({ path }: CommentState, states: StatesById): boolean {
  return path.every(id => states.get(id)?.status === 'approved')
}

/** A comment above it was deleted, so it is gone as well. */
export function isOrphan({ path }: CommentState, states: StatesById): boolean {
  return path.some(id => !states.has(id))
}

export function newComment(content: CommentContent, requiresApproval: boolean): CommentState {
  const status = requiresApproval ? 'pending' : 'approved'
  const { id, post_id, path, user_id } = content
  return { id, post_id, path, user_id, status, is_listed: status === 'approved', has_replies: false }
}

/** After a change of status, and whether that shows or hides what is below. `known` is its path. */
export function withStatus(before: CommentState, status: Status, states: StatesById) {
  const after = { ...before, status }
  const [wasShown, is_listed] = [
    isShown(before, states),
    isShown(after, new Map([...states, [after.id, after]])),
  ]
  return { after: { ...after, is_listed }, movesReplies: before.has_replies && wasShown !== is_listed }
}
