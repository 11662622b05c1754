// All kinds of records that the doctor knows: a new slice of the service is a line here.
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Slice } from './slice.ts'
import { users, webhooks } from './slices/accounts.ts'
import { comments } from './slices/comments.ts'
import { submissions, subscribers, tickets } from './slices/community.ts'
import { categories, posts } from './slices/posts.ts'

export const SLICES: Slice[] = [
  posts,
  categories,
  comments,
  users,
  webhooks,
  tickets,
  subscribers,
  submissions,
]

/** What is looked at in other ways (lists, large texts, what waits), or hangs on nothing. */
export const APART: Kind[] = [
  ...(['LIST', 'CHUNK', 'LEFTOVER', 'OUTBOX', 'SETASIDE', 'SWEEP', 'DELIVERIES', 'OPEN'] satisfies Kind[]),
  ...(['MOVING', 'PENDING', 'SETTINGS', 'MENUS', 'COUNTER', 'LIMIT', 'IDEMPOTENCY', 'MAIL'] satisfies Kind[]),
  ...(['CATEGORYTOTALS', 'DOC', 'UNINDEXED', 'REBUILDING', 'TERM', 'POSTINGS'] satisfies Kind[]),
]
