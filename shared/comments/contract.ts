// The endpoints of comments, for readers, for guests and users who comment, and for admins.
import * as z from 'zod/mini'
import { COMMENT_STATUSES } from '../events/catalogue.ts'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { normalize } from '../http/normalize.ts'
import { byId, bySlug, pageParameters } from '../http/parameters.ts'
import { FULL_TEXT_PATTERN, optionalText, requiredLine, trimmedText } from '../http/text.ts'
import { Time } from '../http/time.ts'
import { LONGEST_SLUG } from '../slugs/slug.ts'

export const Status = z.enum(COMMENT_STATUSES, `Must be one of ${COMMENT_STATUSES.join(', ')}.`)

const CommentAuthor = members({
  name: [
    z.string(),
    'The user\'s name of today, or the name that a guest gave; "Deleted user" for an erased person.',
  ],
  avatar: [z.nullable(z.string()), "Absolute URL of the user's picture; null without one, and for guests."],
})
const SHOWN = {
  id: [z.int(), 'Numeric id.'],
  post_id: [z.int(), 'Id of the post.'],
  parent_id: [
    z.nullable(z.int()),
    `Id of the comment that this one answers, which may not be shown; null for a comment on the post
    itself.`,
  ],
  author: [CommentAuthor, 'Who wrote it.'],
  body: [z.string(), 'Plain text as it was written: escape it where you show it as HTML.'],
  status: [Status, '`pending` until an admin decides, then `approved` or `rejected`.'],
  created_at: [Time, 'When it was submitted, in UTC.'],
} as const

export const Comment = named('Comment', members(SHOWN))
export type Comment = z.infer<typeof Comment>

export const AdminComment = named(
  'AdminComment',
  members({
    ...SHOWN,
    user_id: [z.nullable(z.int()), 'Id of the user who wrote it; null for a guest.'],
    author_email: [
      z.string(),
      'E-mail address of the author. Only admins see it. Empty for an erased person.',
    ],
    post_slug: [z.string(), 'Slug of the post.'],
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
const WRITTEN = {
  body: [
    Body,
    `Plain text of 1 to 5,000 characters, not only white space. It is stored and shown as given: escape it where you
      show it as HTML.`,
    'Nice to meet you!',
  ],
  parent_id: [
    z._default(z.nullable(RecordId), null),
    `Id of the comment that this one answers: an approved comment of the same post, at most two levels below
    the post's own. Null, the default, comments on the post itself.`,
  ],
} as const

export const GuestComment = members({
  author_name: [requiredLine(100), 'The name to show: one line of 1 to 100 characters.', 'Ada'],
  author_email: [
    emailAddress,
    'An e-mail address of at most 254 characters. Only admins see it.',
    'ada@example.com',
  ],
  ...WRITTEN,
})

/** An empty slug counts as missing. */
const PostSlug = z
  .pipe(
    trimmedText(LONGEST_SLUG),
    z.transform(text => normalize(text, 'NFC') || undefined),
  )
  .check(z.meta({ maxLength: LONGEST_SLUG }))

/** If both are there, `post_id` wins. `when` reports a missing post together with other faults. */
const OwnComment = members({
  post_id: [
    z.optional(RecordId),
    'Id of the post. Required, unless `post_slug` is there; it wins if both are.',
  ],
  post_slug: [
    z.optional(PostSlug),
    'Slug of the post, instead of its id. Empty counts as missing.',
    'hello-world',
  ],
  ...WRITTEN,
}).check(
  z.refine(({ post_id, post_slug }) => post_id !== undefined || post_slug !== undefined, {
    path: ['post_id'],
    message: 'Is required, or post_slug is.',
    when: ({ issues }) => issues.every(({ path }) => path?.[0] !== 'post_id' && path?.[0] !== 'post_slug'),
  }),
)

const ofPost = bySlug('post')
const ofComment = byId('comment')
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

const COMMENT = {
  id: 1,
  post_id: 1,
  parent_id: null,
  author: { name: 'Ada', avatar: null },
  body: 'Nice to meet you!',
  status: 'pending' as const,
  created_at: '2026-05-26T15:00:00+00:00',
}
const APPROVED = { ...COMMENT, status: 'approved' as const }
const FOR_ADMINS = { ...COMMENT, user_id: 2, author_email: 'ada@example.com', post_slug: 'hello-world' }

export const comments = group({ public: 'Approved comments, and comments of guests.' }, () => ({
  listComments: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}/comments',
    summary: 'List the approved comments of a post, oldest first',
    description:
      'A flat list; `parent_id` makes it a tree. It may name a comment that is not in the list: one that was rejected.',
    message: 'Comments.',
    readsContent: false,
    params: ofPost,
    query: members(pageParameters()),
    data: z.array(Comment),
    example: { params: { slug: 'hello-world' }, data: [APPROVED] },
  }),
}))

export const guestComments = group({ public: 'Approved comments, and comments of guests.' }, () => ({
  createGuestComment: endpoint({
    method: 'POST',
    path: '/api/v1/posts/{slug}/comments',
    summary: 'Comment on a post as a guest',
    description: `Works only if the settings \`comments.enabled\` and \`comments.allow_guest_comments\` are true. The comment is
          \`pending\` if the setting \`comments.require_approval\` is true, else \`approved\`.`,
    message: 'Comment submitted.',
    requires: [COMMENTS_ENABLED, GUESTS_ALLOWED],
    limit: ownLimit('guest-comments', 5),
    params: ofPost,
    body: GuestComment,
    data: Comment,
    status: 201,
    emits: ['comment.created'],
    example: {
      params: { slug: 'hello-world' },
      body: { author_name: 'Ada', author_email: 'ada@example.com', body: 'Nice to meet you!' },
      data: COMMENT,
    },
  }),
}))

export const ownComments = group(
  { user: "The caller's comments. Needs the ability `comments:write`." },
  () => ({
    listOwnComments: endpoint({
      method: 'GET',
      path: '/api/v1/me/comments',
      ...AS_USER,
      summary: "List the caller's comments, newest first",
      description: 'Includes pending and rejected comments.',
      message: 'Comments.',
      query: members(pageParameters()),
      data: z.array(Comment),
      example: { data: [COMMENT] },
    }),
    createOwnComment: endpoint({
      method: 'POST',
      path: '/api/v1/me/comments',
      ...AS_USER,
      summary: 'Comment on a post as a user',
      description: `Works only if the setting \`comments.enabled\` is true. The comment is \`pending\` if the setting
          \`comments.require_approval\` is true, else \`approved\`. While 20 comments of a user are \`pending\`, the next
          one is a 429.`,
      message: 'Comment submitted.',
      requires: [COMMENTS_ENABLED],
      body: OwnComment,
      data: Comment,
      status: 201,
      faults: ['NOT_FOUND'],
      emits: ['comment.created'],
      example: { body: { post_id: 1, body: 'Nice to meet you!' }, data: COMMENT },
    }),
  }),
)

export const adminComments = group({ admin: 'Moderate comments. Needs the ability `admin`.' }, () => ({
  listComments: endpoint({
    method: 'GET',
    path: '/api/v1/admin/comments',
    audience: 'admin',
    summary: 'List comments, newest first',
    description: 'All comments, or those of one status.',
    message: 'Comments.',
    query: members({
      ...pageParameters(),
      status: [z.optional(Status), 'Only comments of this status. By default all.', 'pending'],
    }),
    data: z.array(AdminComment),
    example: { data: [FOR_ADMINS] },
  }),
  approveComment: endpoint({
    method: 'POST',
    path: '/api/v1/admin/comments/{id}/approve',
    audience: 'admin',
    summary: 'Approve a comment',
    description: 'Readers see it from now on. Approving an approved comment changes nothing.',
    message: 'Comment approved.',
    params: ofComment,
    data: AdminComment,
    emits: ['comment.approved'],
    example: { params: { id: 1 }, data: { ...FOR_ADMINS, status: 'approved' } },
  }),
  rejectComment: endpoint({
    method: 'POST',
    path: '/api/v1/admin/comments/{id}/reject',
    audience: 'admin',
    summary: 'Reject a comment',
    description: `Readers no longer see it from the answer on. Its replies stay, and their \`parent_id\` still names it. It
            fires nothing.`,
    message: 'Comment rejected.',
    params: ofComment,
    data: AdminComment,
    example: { params: { id: 1 }, data: { ...FOR_ADMINS, status: 'rejected' } },
  }),
  deleteComment: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/comments/{id}',
    audience: 'admin',
    summary: 'Delete a comment and its replies permanently',
    description: `It leaves every list immediately. Its replies are deleted in the background, usually within seconds. It fires
            nothing.`,
    message: 'Comment deleted.',
    params: ofComment,
    data: EmptyData,
    example: { params: { id: 1 } },
  }),
}))
