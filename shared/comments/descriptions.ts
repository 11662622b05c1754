// Descriptions of the members of comments, and of the parameters of their endpoints.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
import { AdminComment, adminComments, Comment, comments, GuestComment, OwnComment } from './contract.ts'

const WRITTEN = {
  body: [
    `Plain text of 1 to 5,000 characters, not only white space. It is stored and shown as given: escape it where you
    show it as HTML.`,
    'Nice to meet you!',
  ],
  parent_id: `Id of the comment that this one answers: an approved comment of the same post, at most two levels below
    the post's own. Null, the default, comments on the post itself.`,
} as const

const SHOWN = {
  id: 'Numeric id.',
  post_id: 'Id of the post.',
  parent_id: 'Id of the comment that this one answers; null for a comment on the post itself.',
  author: 'Who wrote it.',
  body: 'Plain text as it was written: escape it where you show it as HTML.',
  status: '`pending` until an admin decides, then `approved` or `rejected`.',
  created_at: 'When it was submitted, in UTC.',
} as const

export const COMMENT_DESCRIPTIONS: Description[] = [
  describes(Comment.shape.author, {
    name: "The user's name of today, or the name that a guest gave.",
    avatar: "Absolute URL of the user's picture; null without one, and for guests.",
  }),
  describes(Comment, SHOWN),
  describes(AdminComment, {
    ...SHOWN,
    user_id: 'Id of the user who wrote it; null for a guest.',
    author_email: 'E-mail address of the author. Only admins see it.',
    post_slug: 'Slug of the post.',
  }),
  describes(GuestComment, {
    author_name: ['The name to show: one line of 1 to 100 characters.', 'Ada'],
    author_email: ['An e-mail address of at most 254 characters. Only admins see it.', 'ada@example.com'],
    ...WRITTEN,
  }),
  describes(OwnComment, {
    post_id: 'Id of the post. Required, unless `post_slug` is there; it wins if both are.',
    post_slug: ['Slug of the post, instead of its id. Empty counts as missing.', 'hello-world'],
    ...WRITTEN,
  }),
  describes(comments.listComments.params, { slug: 'Slug of the post, percent-encoded.' }),
  describes(comments.listComments.query, pageTexts()),
  describes(comments.listOwnComments.query, pageTexts()),
  describes(adminComments.approveComment.params, { id: 'Id of the comment.' }),
  describes(adminComments.listComments.query, {
    ...pageTexts(),
    status: ['Only comments of this status. By default all.', 'pending'],
  }),
]
