// Every kind of record in the table, declared once: permissions, id counters, the doctor and `counts` read it
// here.

export type KindDeclaration = {
  /** Names of the counters that give such records, and records inside of them, their ids. */
  counters?: readonly string[]
  /** Names of the counted lists that contain such records; `*` stands for an id, a status or an order. */
  lists?: readonly string[]
  /** It belongs to no record type of the operator: the doctor checks it in another way, or not at all. */
  isInternal?: true
}

const INTERNAL = { isInternal: true } as const

/** By the first word of the partition key, which is also the word in which permissions are granted. */
export const KINDS = {
  POST: { counters: ['post'], lists: ['posts', 'pages', 'category:*', 'admin:*', 'drafts:*'] },
  CHUNK: INTERNAL,
  LEFTOVER: INTERNAL,
  SLUG: {},
  SCHEDULED: {},
  CATEGORIES: { counters: ['category'] },
  CATEGORYTOTALS: INTERNAL,
  CATEGORYSLUG: {},
  LIST: INTERNAL,
  COMMENT: { counters: ['comment'], lists: ['comments:*'] },
  THREAD: {},
  MOVING: INTERNAL,
  PENDING: INTERNAL,
  USER: { counters: ['user', 'token'], lists: ['users', 'users:*'] },
  AUTHOR: {},
  PASSWORD: {},
  EMAIL: {},
  NEWSLETTER: { counters: ['subscriber'], lists: ['newsletter:*'] },
  NEWSLETTEREMAIL: {},
  CONTACT: { counters: ['submission'], lists: ['contact'] },
  TICKET: { counters: ['ticket', 'ticket-reply'], lists: ['tickets:*'] },
  SETTINGS: INTERNAL,
  MENUS: INTERNAL,
  DOC: INTERNAL,
  UNINDEXED: INTERNAL,
  REBUILDING: INTERNAL,
  TERM: INTERNAL,
  POSTINGS: INTERNAL,
  COUNTER: INTERNAL,
  LIMIT: INTERNAL,
  IDEMPOTENCY: INTERNAL,
  OUTBOX: INTERNAL,
  SETASIDE: INTERNAL,
  SWEEP: INTERNAL,
  MAIL: INTERNAL,
  WEBHOOK: { counters: ['webhook'] },
  SUBSCRIBERS: {},
  DELIVERIES: INTERNAL,
  OPEN: INTERNAL,
} as const satisfies Record<string, KindDeclaration>

export type Kind = keyof typeof KINDS
type Declared = (typeof KINDS)[Kind]

export type Counter = Extract<Declared, { counters: readonly string[] }>['counters'][number]
export const COUNTERS: Counter[] = Object.values(KINDS).flatMap(kind =>
  'counters' in kind ? [...kind.counters] : [],
)

export type ListName = Extract<Declared, { lists: readonly string[] }>['lists'][number]

/** What a permission names: a kind of record or, for lists, a kind of list. */
export type Reach = Exclude<Kind, 'LIST'> | `LIST ${ListName}`
