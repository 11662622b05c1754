// Declares the API functions: the endpoints of each, and the permissions it needs.
import { adminUsers } from '../accounts/admin-contract.ts'
import { auth, me } from '../accounts/contract.ts'
import { adminCategories, categories } from '../categories/contract.ts'
import { changes } from '../changes/contract.ts'
import { adminComments, comments } from '../comments/contract.ts'
import { adminContact, contact } from '../contact/contract.ts'
import { TEST_EVENT } from '../events/catalogue.ts'
import { QUEUE_NAMES, type QueueName } from '../events/message.ts'
import { abilitiesAtTimes, type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import { adminNewsletter, newsletter } from '../newsletter/contract.ts'
import { adminPosts, posts } from '../posts/contract.ts'
import { search } from '../search/contract.ts'
import { adminSite, site, system } from '../site/contract.ts'
import { KINDS, type Reach } from '../table/kinds.ts'
import { adminTickets, tickets } from '../tickets/contract.ts'
import { adminWebhooks } from '../webhooks/contract.ts'
import { type Access, type FunctionNeeds, LARGE_TEXTS, listsOf, type PartialUpdate } from './needs.ts'

export type ApiFunction = FunctionNeeds & { endpoints: Group }

/** The categories, and the item with their sums and the revision by which cached ones are checked. */
const CATEGORIES: Reach[] = ['CATEGORIES', 'CATEGORYTOTALS']
/** Read to show posts, in lists or alone, with their bodies, authors and categories. */
const SHOWN_POSTS: Reach[] = ['POST', 'CHUNK', 'CATEGORIES', 'LIST category:*', 'AUTHOR']
/** Read to search posts. */
const SEARCH_INDEX: Reach[] = ['INDEX', 'SEGMENT', 'DOC']
/** Read to show comments; `MOVING` marks threads that are being recounted. */
const SHOWN_COMMENTS: Reach[] = ['COMMENT', 'THREAD', 'MOVING', 'LIST comments:*']
/** The lists of users, by id, name and address. */
const USER_LISTS = listsOf(KINDS.USER)
/** The lists of posts, for readers and for admins. */
const POST_LISTS = listsOf(KINDS.POST)

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates(endpoint: Endpoint): boolean {
  return endpoint.ability !== null || !endpoint.isOpenInMaintenance || abilitiesAtTimes(endpoint).length > 0
}

/** The only attribute of users and tokens that authentication writes. */
const TOKEN_USE: PartialUpdate = { of: 'USER', attributes: ['last_used_at'] }

function firesEvents({ emits }: Endpoint): boolean {
  return emits.some(name => name !== TEST_EVENT)
}

/** Adds what every API function needs, and what its endpoints imply: events to send, answers to store. */
function api(endpoints: Group, access: Access, overrides: Partial<FunctionNeeds> = {}): ApiFunction {
  const all = Object.values(endpoints)
  const events: QueueName[] = all.some(firesEvents) ? ['events'] : []
  const sends = [...events, ...(overrides.sends ?? [])]
  // A message is written to the outbox in the transaction of its change. Its worker deletes the row.
  const outbox: Reach[] = sends.length > 0 ? ['OUTBOX'] : []
  // A change of public content has a row in the feed, above the place of the last one.
  const isPublic = access.writes.includes('GENERATION')
  const [head, feed]: [Reach[], Reach[]] = isPublic ? [['GENERATION'], ['CHANGES']] : [[], []]
  const kept: Reach[] = all.some(takesIdempotencyKey) ? ['IDEMPOTENCY'] : []
  const callers: Reach[] = all.some(authenticates) ? ['USER'] : []
  // A permission to write the record includes its attributes.
  const notesTokenUse = callers.length > 0 && !access.writes.includes('USER')
  // A limit by log reads before it writes; a limit by window only writes.
  const logs: Reach[] = all.some(({ limit }) => limit.kind === 'log') ? ['LIMIT'] : []
  // What is remembered of public content ends with its generation, or when the next scheduled post is due.
  const content: Reach[] = all.some(({ readsContent }) => readsContent) ? ['GENERATION', 'SCHEDULED'] : []
  return {
    endpoints,
    reads: ['SETTINGS', ...callers, ...logs, ...content, ...head, ...access.reads],
    writes: ['LIMIT', ...kept, ...access.writes],
    puts: [...outbox, ...feed, ...(access.puts ?? [])],
    checks: access.checks,
    updates: [...(notesTokenUse ? [TOKEN_USE] : []), ...(access.updates ?? [])],
    secrets: ['ClientKey'],
    sendsMail: false,
    memoryMb: 1024,
    timeoutSeconds: 20,
    ...overrides,
    sends,
  }
}

/** Each by its name: the file in functions/, and the id in the stack. */
export const API_FUNCTIONS: Record<string, ApiFunction> = {
  system: api(system, { reads: ['OUTBOX', 'SETASIDE', 'SWEEP'], writes: [] }, { inspects: QUEUE_NAMES }),
  site: api(site, { reads: ['MENUS', 'CHUNK'], writes: [] }),
  posts: api(posts, {
    reads: [...SHOWN_POSTS, 'LIST posts', 'LIST pages', ...SEARCH_INDEX, 'SLUG', 'CATEGORYSLUG'],
    writes: [],
  }),
  search: api(search, { reads: ['POST', 'CHUNK', ...CATEGORIES, 'AUTHOR', ...SEARCH_INDEX], writes: [] }),
  categories: api(categories, { reads: [...SHOWN_POSTS, 'CATEGORYSLUG'], writes: [] }),
  changes: api(changes, {
    reads: [...SHOWN_POSTS, 'LIST posts', 'LIST pages', 'SCHEDULED', 'MENUS', 'CHANGES'],
    writes: [],
  }),
  comments: api(comments, {
    reads: ['POST', 'SLUG', 'AUTHOR', ...SHOWN_COMMENTS, 'PENDING'],
    writes: ['COMMENT', 'THREAD', 'LIST comments:*', 'PENDING', 'COUNTER'],
    checks: ['POST'],
  }),
  auth: api(
    auth,
    {
      reads: ['EMAIL', 'PASSWORD', ...USER_LISTS],
      writes: ['USER', 'EMAIL', 'PASSWORD', 'AUTHOR', ...USER_LISTS, 'COUNTER'],
    },
    { sends: ['mail', 'tidy'], secrets: ['ClientKey', 'LinkKey'], memoryMb: 1769 },
  ),
  me: api(
    me,
    // A list entry whose position does not change is written without reading its list.
    { reads: ['LIST users:*'], writes: ['USER', 'AUTHOR', 'GENERATION', ...USER_LISTS, 'COUNTER'] },
    { sends: ['mail'] },
  ),
  contact: api(contact, { reads: ['LIST contact'], writes: ['CONTACT', 'LIST contact', 'COUNTER'] }),
  newsletter: api(
    newsletter,
    {
      reads: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*'],
      writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*', 'COUNTER'],
      updates: [{ of: 'USER', attributes: ['wants_newsletter', 'revision'] }],
    },
    { sends: ['mail'], secrets: ['ClientKey', 'LinkKey'] },
  ),
  tickets: api(tickets, {
    reads: ['TICKET', 'LIST tickets:*', 'AUTHOR'],
    writes: ['TICKET', 'LIST tickets:*', 'COUNTER'],
  }),
  'admin-posts': api(
    adminPosts,
    {
      reads: ['POST', 'CHUNK', 'SLUG', 'DOC', ...CATEGORIES, ...POST_LISTS, 'AUTHOR'],
      writes: [
        ...([
          'POST',
          'SLUG',
          'SCHEDULED',
          'DOC',
          'INDEX',
          'MOVING',
          'CATEGORIES',
          'GENERATION',
          ...POST_LISTS,
          'COUNTER',
        ] satisfies Reach[]),
        ...LARGE_TEXTS,
      ],
    },
    { sends: ['index', 'tidy'] },
  ),
  'admin-categories': api(
    adminCategories,
    {
      reads: [...CATEGORIES, 'CATEGORYSLUG', 'SCHEDULED'],
      writes: [...CATEGORIES, 'CATEGORYSLUG', 'LIST category:*', 'COUNTER', 'GENERATION'],
    },
    { sends: ['tidy'] },
  ),
  'admin-users': api(adminUsers, {
    reads: USER_LISTS,
    writes: [...USER_LISTS],
    updates: [{ of: 'USER', attributes: ['ban', 'unbanned_at_ms', 'revision'] }],
  }),
  'admin-site': api(adminSite, {
    reads: ['MENUS', 'CHUNK'],
    writes: ['SETTINGS', 'MENUS', 'GENERATION', ...LARGE_TEXTS],
  }),
  'admin-comments': api(
    adminComments,
    {
      reads: ['POST', ...SHOWN_COMMENTS],
      writes: ['COMMENT', 'THREAD', 'MOVING', 'LIST comments:*'],
      checks: ['POST'],
    },
    { sends: ['tidy'] },
  ),
  'admin-webhooks': api(
    adminWebhooks,
    {
      reads: ['WEBHOOK', 'DELIVERIES', 'EVENT', 'ANSWER', 'REPLAY'],
      writes: [
        ...(['WEBHOOK', 'SUBSCRIBERS', 'SUBSCRIPTIONS'] satisfies Reach[]),
        ...(['DELIVERIES', 'EVENT', 'ANSWER', 'REPLAY', 'COUNTER'] satisfies Reach[]),
      ],
      puts: ['ROTATIONS'],
    },
    { sends: ['deliveries', 'tidy'], secrets: ['ClientKey', 'WebhookKey'] },
  ),
  'admin-newsletter': api(adminNewsletter, {
    reads: ['NEWSLETTER', 'LIST newsletter:*', 'REFUSALS'],
    writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*'],
  }),
  'admin-tickets': api(adminTickets, {
    reads: ['TICKET', 'LIST tickets:*', 'AUTHOR'],
    writes: ['TICKET', 'LIST tickets:*', 'COUNTER'],
  }),
  'admin-contact': api(adminContact, {
    reads: ['CONTACT', 'LIST contact'],
    writes: ['CONTACT', 'LIST contact'],
  }),
}

/** The function that serves the OpenAPI document. It has no permissions. */
export const DOCUMENT = { name: 'openapi', path: '/openapi.json' }
