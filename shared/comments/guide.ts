// The guide to comments: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import {
  AdminComment,
  adminComments,
  Comment,
  comments,
  GuestComment,
  guestComments,
  OwnComment,
  ownComments,
} from './contract.ts'

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

const WRITTEN_TEXTS = {
  body: [
    `Plain text of 1 to 5,000 characters, not only white space. It is stored and shown as given: escape it where you
      show it as HTML.`,
    'Nice to meet you!',
  ],
  parent_id: `Id of the comment that this one answers: an approved comment of the same post, at most two levels below
    the post's own. Null, the default, comments on the post itself.`,
} as const

const SHOWN_TEXTS = {
  id: 'Numeric id.',
  post_id: 'Id of the post.',
  parent_id: `Id of the comment that this one answers, which may not be shown; null for a comment on the post
    itself.`,
  author: 'Who wrote it.',
  body: 'Plain text as it was written: escape it where you show it as HTML.',
  status: '`pending` until an admin decides, then `approved` or `rejected`.',
  created_at: 'When it was submitted, in UTC.',
} as const

export const COMMENT_GUIDE: SliceGuide = {
  tags: {
    comments: 'Approved comments, and comments of guests.',
    'me: comments': "The caller's comments. Needs the ability `comments:write`.",
    'admin: comments': 'Moderate comments. Needs the ability `admin`.',
  },
  endpoints: [
    ...guideOf(comments, {
      listComments: {
        description:
          'A flat list; `parent_id` makes it a tree. It may name a comment that is not in the list: one that was rejected.',
        params: { slug: 'hello-world' },
        data: [APPROVED],
      },
    }),
    ...guideOf(guestComments, {
      createGuestComment: {
        description: `Works only if the settings \`comments.enabled\` and \`comments.allow_guest_comments\` are true. The comment is
          \`pending\` if the setting \`comments.require_approval\` is true, else \`approved\`.`,
        params: { slug: 'hello-world' },
        body: { author_name: 'Ada', author_email: 'ada@example.com', body: 'Nice to meet you!' },
        data: COMMENT,
      },
    }),
    ...guideOf(ownComments, {
      listOwnComments: { description: 'Includes pending and rejected comments.', data: [COMMENT] },
      createOwnComment: {
        description: `Works only if the setting \`comments.enabled\` is true. The comment is \`pending\` if the setting
          \`comments.require_approval\` is true, else \`approved\`. While 20 comments of a user are \`pending\`, the next
          one is a 429.`,
        body: { post_id: 1, body: 'Nice to meet you!' },
        data: COMMENT,
      },
    }),
    ...guideOf(
      adminComments,
      {
        listComments: { description: 'All comments, or those of one status.', data: [FOR_ADMINS] },
        approveComment: {
          description: 'Readers see it from now on. Approving an approved comment changes nothing.',
          params: { id: 1 },
          data: { ...FOR_ADMINS, status: 'approved' },
        },
        rejectComment: {
          description: `Readers no longer see it from the answer on. Its replies stay, and their \`parent_id\` still names it. It
            fires nothing.`,
          params: { id: 1 },
          data: { ...FOR_ADMINS, status: 'rejected' },
        },
        deleteComment: {
          description: `It leaves every list immediately. Its replies are deleted in the background, usually within seconds. It fires
            nothing.`,
          params: { id: 1 },
        },
      },
      { status: ['Only comments of this status. By default all.', 'pending'] },
    ),
  ],
  members: [
    describes(Comment.shape.author, {
      name: 'The user\'s name of today, or the name that a guest gave; "Deleted user" for an erased person.',
      avatar: "Absolute URL of the user's picture; null without one, and for guests.",
    }),
    describes(Comment, SHOWN_TEXTS),
    describes(AdminComment, {
      ...SHOWN_TEXTS,
      user_id: 'Id of the user who wrote it; null for a guest.',
      author_email: 'E-mail address of the author. Only admins see it. Empty for an erased person.',
      post_slug: 'Slug of the post.',
    }),
    describes(GuestComment, {
      author_name: ['The name to show: one line of 1 to 100 characters.', 'Ada'],
      author_email: ['An e-mail address of at most 254 characters. Only admins see it.', 'ada@example.com'],
      ...WRITTEN_TEXTS,
    }),
    describes(OwnComment, {
      post_id: 'Id of the post. Required, unless `post_slug` is there; it wins if both are.',
      post_slug: ['Slug of the post, instead of its id. Empty counts as missing.', 'hello-world'],
      ...WRITTEN_TEXTS,
    }),
  ],
}
