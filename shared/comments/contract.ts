// The endpoints of comments, for readers, for guests and users who comment, and for admins.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
import { named } from '../http/named.ts'
import { normalize } from '../http/normalize.ts'
import { FULL_TEXT_PATTERN } from '../http/patterns.ts'
import { atMost, optionalText, requiredLine, trimmedText } from '../http/text.ts'
import { Time } from '../http/time.ts'
import { LONGEST_SLUG } from '../slugs/slug.ts'

export const STATUSES = ['pending', 'approved', 'rejected'] as const
export const Status = z.enum(STATUSES, `Must be one of ${STATUSES.join(', ')}.`)
export type Status = z.infer<typeof Status>

export const Comment = named(
  'Comment',
  z.object({
    id: z.int(),
    post_id: z.int(),
    parent_id: z.nullable(z.int()),
    author: z.object({ name: z.string(), avatar: z.nullable(z.string()) }),
    body: z.string(),
    status: Status,
    created_at: Time,
  }),
)
export type Comment = z.infer<typeof Comment>

export const AdminComment = named(
  'AdminComment',
  z.object({
    ...Comment.shape,
    user_id: z.nullable(z.int()),
    author_email: z.string(),
    post_slug: z.string(),
  }),
)
export type AdminComment = z.infer<typeof AdminComment>

const MAX_LETTERS = 5_000

/** Plain text, stored as given. White space alone counts as missing. */
const Body = optionalText(MAX_LETTERS).check(
  z.refine(text => text.trim() !== '', 'Is required.'),
  z.meta({ minLength: 1, pattern: FULL_TEXT_PATTERN }),
)
const RecordId = z.int('Must be a whole number.').check(z.positive('Must be at least 1.'))
const WRITTEN = { body: Body, parent_id: z._default(z.nullable(RecordId), null) }

export const GuestComment = z.object({
  author_name: requiredLine(100),
  author_email: emailAddress,
  ...WRITTEN,
})

/** An empty slug counts as missing. */
const PostSlug = z
  .pipe(
    trimmedText(LONGEST_SLUG, atMost(LONGEST_SLUG).message),
    z.transform(text => normalize(text, 'NFC') || undefined),
  )
  .check(z.meta({ maxLength: LONGEST_SLUG }))

/** If both are there, `post_id` wins. `when` reports a missing post together with other faults. */
export const OwnComment = z
  .object({ post_id: z.optional(RecordId), post_slug: z.optional(PostSlug), ...WRITTEN })
  .check(
    z.refine(({ post_id, post_slug }) => post_id !== undefined || post_slug !== undefined, {
      path: ['post_id'],
      message: 'Is required, or post_slug is.',
      when: ({ issues }) => issues.every(({ path }) => path?.[0] !== 'post_id' && path?.[0] !== 'post_slug'),
    }),
  )

const bySlug = z.object({ slug: z.string() })
const byId = z.object({ id: Id })
const COMMENTS_ENABLED = {
  setting: 'comments.enabled',
  code: 'FORBIDDEN',
  message: 'Comments are closed on this site.',
} as const
const GUESTS_ALLOWED = {
  setting: 'comments.allow_guest_comments',
  code: 'FORBIDDEN',
  message: 'Only users may comment: log in, and use /api/v1/me/comments.',
} as const
const AS_USER = { audience: 'user', ability: 'comments:write' } as const

export const comments = group(() => ({
  listComments: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}/comments',
    summary: 'List the approved comments of a post, oldest first',
    message: 'Comments.',
    readsContent: false,
    params: bySlug,
    query: pageQuery(),
    data: z.array(Comment),
    isPaginated: true,
  }),
}))

export const guestComments = group(() => ({
  createGuestComment: endpoint({
    method: 'POST',
    path: '/api/v1/posts/{slug}/comments',
    summary: 'Comment on a post as a guest',
    message: 'Comment submitted.',
    requires: [COMMENTS_ENABLED, GUESTS_ALLOWED],
    limit: ownLimit('guest-comments', 5),
    params: bySlug,
    body: GuestComment,
    data: Comment,
    status: 201,
    emits: ['comment.created'],
  }),
}))

export const ownComments = group(() => ({
  listOwnComments: endpoint({
    method: 'GET',
    path: '/api/v1/me/comments',
    ...AS_USER,
    summary: "List the caller's comments, newest first",
    message: 'Comments.',
    query: pageQuery(),
    data: z.array(Comment),
    isPaginated: true,
  }),
  createOwnComment: endpoint({
    method: 'POST',
    path: '/api/v1/me/comments',
    ...AS_USER,
    summary: 'Comment on a post as a user',
    message: 'Comment submitted.',
    requires: [COMMENTS_ENABLED],
    body: OwnComment,
    data: Comment,
    status: 201,
    faults: ['NOT_FOUND'],
    emits: ['comment.created'],
  }),
}))

export const adminComments = group(() => ({
  listComments: endpoint({
    method: 'GET',
    path: '/api/v1/admin/comments',
    audience: 'admin',
    summary: 'List comments, newest first',
    message: 'Comments.',
    query: z.extend(pageQuery(), { status: z.optional(Status) }),
    data: z.array(AdminComment),
    isPaginated: true,
  }),
  approveComment: endpoint({
    method: 'POST',
    path: '/api/v1/admin/comments/{id}/approve',
    audience: 'admin',
    summary: 'Approve a comment',
    message: 'Comment approved.',
    params: byId,
    data: AdminComment,
    emits: ['comment.approved'],
  }),
  rejectComment: endpoint({
    method: 'POST',
    path: '/api/v1/admin/comments/{id}/reject',
    audience: 'admin',
    summary: 'Reject a comment',
    message: 'Comment rejected.',
    params: byId,
    data: AdminComment,
  }),
  deleteComment: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/comments/{id}',
    audience: 'admin',
    summary: 'Delete a comment and its replies permanently',
    message: 'Comment deleted.',
    params: byId,
    data: EmptyData,
  }),
}))
