// The rules of comments: who is seen, what a change of status does, how one is shown and told. No I/O.
import * as z from 'zod/mini'
import type { Author } from '../accounts/authors.ts'
import type { EventData } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import { type AdminComment, type Comment, Status } from './contract.ts'

/** What was said, by whom and where: never changed. `path` is from the root comment down to this one. */
export const Words = z.object({
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
export type Words = z.infer<typeof Words>

/** What is to be known of a comment without its words: small, as a whole post's are read together at times. */
export const Standing = z.extend(z.pick(Words, { id: true, post_id: true, path: true, user_id: true }), {
  status: Status,
  /** Whether it stands in the public list: for a while after a change above it, that is not what it should be. */
  is_listed: z.boolean(),
  /** Set by its first reply, for good. */
  has_replies: z.boolean(),
})
export type Standing = z.infer<typeof Standing>

/** A root comment is of depth 1. */
export const DEEPEST = 3

export const parentOf = ({ path }: Pick<Words, 'path'>): number | null => path.at(-2) ?? null

/** Standings by id: those of a comment's path are enough to judge it. */
export type Known = Map<number, Standing>
export const knownOf = (standings: Standing[]): Known => new Map(standings.map(one => [one.id, one]))

/** A reply shows only while its parent does. */
export const isShown = ({ path }: Standing, known: Known): boolean =>
  path.every(id => known.get(id)?.status === 'approved')

/** A comment above it was deleted, so it is gone as well. */
export const isOrphan = ({ path }: Standing, known: Known): boolean => path.some(id => !known.has(id))

export const newComment = (words: Words, requiresApproval: boolean): Standing => {
  const status = requiresApproval ? 'pending' : 'approved'
  const { id, post_id, path, user_id } = words
  return { id, post_id, path, user_id, status, is_listed: status === 'approved', has_replies: false }
}

/** After a change of status, and whether that shows or hides what is below. `known` is its path. */
export const withStatus = (before: Standing, status: Status, known: Known) => {
  const after = { ...before, status }
  const [wasShown, is_listed] = [
    isShown(before, known),
    isShown(after, new Map([...known, [after.id, after]])),
  ]
  return { after: { ...after, is_listed }, movesReplies: before.has_replies && wasShown !== is_listed }
}

/** The profile behind a comment; a guest gave a name. */
export type Authors = Map<number, Author>

const authorOf = ({ user_id, guest }: Words, authors: Authors) => {
  const author = user_id === null ? undefined : authors.get(user_id)
  return { name: author?.name ?? guest?.name ?? '', avatar: author?.avatar ?? null }
}

export const commentView = (words: Words, status: Status, authors: Authors): Comment => ({
  id: words.id,
  post_id: words.post_id,
  parent_id: parentOf(words),
  author: authorOf(words, authors),
  body: words.body,
  status,
  created_at: isoTime(words.created_at),
})

type Beside = { authors: Authors; emails: Map<number, string>; slug: string }

export const adminView = (words: Words, status: Status, { authors, emails, slug }: Beside): AdminComment => ({
  ...commentView(words, status, authors),
  user_id: words.user_id,
  author_email: words.guest?.email ?? emails.get(words.user_id ?? 0) ?? '',
  post_slug: slug,
})

export const commentData = (
  words: Words,
  status: Status,
  { authors, slug, siteUrl }: { authors: Authors; slug: string; siteUrl: string },
): EventData<'comment.created'> => ({
  id: words.id,
  post_id: words.post_id,
  slug,
  url: `${siteUrl}/blog/${encodeURIComponent(slug)}#comment-${words.id}`,
  parent_id: parentOf(words),
  status,
  author_name: authorOf(words, authors).name,
})
