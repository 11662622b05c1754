// Guides to the endpoints of comments, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { adminComments, comments } from './contract.ts'

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

export const COMMENT_GUIDES: Guide[] = [
  ...guideOf(comments, {
    listComments: {
      description:
        'A flat list; `parent_id` makes it a tree. A reply shows only while every comment above it does.',
      params: { slug: 'hello-world' },
      data: [APPROVED],
    },
    createGuestComment: {
      description: `Works only if the settings \`comments.enabled\` and \`comments.allow_guest_comments\` are true. The comment is
        \`pending\` if the setting \`comments.require_approval\` is true, else \`approved\`.`,
      params: { slug: 'hello-world' },
      body: { author_name: 'Ada', author_email: 'ada@example.com', body: 'Nice to meet you!' },
      data: COMMENT,
    },
    listOwnComments: { description: 'Includes pending and rejected comments.', data: [COMMENT] },
    createOwnComment: {
      description: `Works only if the setting \`comments.enabled\` is true. The comment is \`pending\` if the setting
        \`comments.require_approval\` is true, else \`approved\`. While 20 comments of a user wait for approval, the next
        one is a 429.`,
      body: { post_id: 1, body: 'Nice to meet you!' },
      data: COMMENT,
    },
  }),
  ...guideOf(adminComments, {
    listComments: { description: 'All comments, or those of one status.', data: [FOR_ADMINS] },
    approveComment: {
      description: `Readers see it from now on, and its approved replies with it. A reply whose parent is hidden may be approved
        too: it shows when its parent does. Approving an approved comment changes nothing.`,
      params: { id: 1 },
      data: { ...FOR_ADMINS, status: 'approved' },
    },
    rejectComment: {
      description: `Readers no longer see it, nor its replies, in lists and totals from the answer on, however many they are. It
        fires nothing.`,
      params: { id: 1 },
      data: { ...FOR_ADMINS, status: 'rejected' },
    },
    deleteComment: {
      description: `It leaves public view at once with all its replies; the storage is cleaned up in the background. It fires
        nothing.`,
      params: { id: 1 },
    },
  }),
]
