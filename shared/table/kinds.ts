// The kinds of records in the one table, by which everything says what it touches.

/** The first word of a partition key: what a role may touch is said in these words. */
export const KINDS = [
  'POST',
  'CHUNK',
  'LEFTOVER',
  'SLUG',
  'SCHEDULED',
  'CATEGORIES',
  'CATEGORYTOTALS',
  'CATEGORYSLUG',
  'LIST',
  'COMMENT',
  'THREAD',
  'MOVING',
  'PENDING',
  'USER',
  'AUTHOR',
  'PASSWORD',
  'EMAIL',
  'NEWSLETTER',
  'NEWSLETTEREMAIL',
  'CONTACT',
  'TICKET',
  'SETTINGS',
  'MENUS',
  'DOC',
  'UNINDEXED',
  'REBUILDING',
  'TERM',
  'POSTINGS',
  'COUNTER',
  'LIMIT',
  'IDEMPOTENCY',
  'OUTBOX',
  'SETASIDE',
  'SWEEP',
  'MAIL',
  'WEBHOOK',
  'SUBSCRIBERS',
  'DELIVERIES',
  'OPEN',
] as const
export type Kind = (typeof KINDS)[number]

/** The counted lists by name; `*` stands for an id, a status or an order. */
export const LISTS = [
  'posts',
  'pages',
  'category:*',
  'admin:*',
  'drafts:*',
  'comments:*',
  'users',
  'users:*',
  'tickets:*',
  'newsletter:*',
  'contact',
] as const

/** What a permission names: a kind of record or, for lists, a kind of list. */
export type Reach = Exclude<Kind, 'LIST'> | `LIST ${(typeof LISTS)[number]}`
