// All types of records, in the order in which `counts` shows them. Register a new resource here.
import type { Kind } from '../../shared/table/kinds.ts'
import type { RecordType } from './record-type.ts'
import { users, webhooks } from './record-types/accounts.ts'
import { comments } from './record-types/comments.ts'
import { submissions, subscribers, tickets } from './record-types/community.ts'
import { categories, posts } from './record-types/posts.ts'

export const RECORD_TYPES: RecordType[] = [
  posts,
  categories,
  comments,
  tickets,
  subscribers,
  webhooks,
  users,
  submissions,
]

/** Kinds that the doctor checks in other ways (lists, large texts, outbox), or that need no check. */
export const CHECKED_ELSEWHERE: Kind[] = [
  ...(['LIST', 'CHUNK', 'LEFTOVER', 'OUTBOX', 'SETASIDE', 'SWEEP', 'DELIVERIES', 'OPEN'] satisfies Kind[]),
  ...(['MOVING', 'PENDING', 'SETTINGS', 'MENUS', 'COUNTER', 'LIMIT', 'IDEMPOTENCY', 'MAIL'] satisfies Kind[]),
  ...(['CATEGORYTOTALS', 'DOC', 'UNINDEXED', 'REBUILDING', 'TERM', 'POSTINGS'] satisfies Kind[]),
]
