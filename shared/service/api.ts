// The groups of endpoints, each a function with what it needs.
import { adminUsers } from '../accounts/admin-contract.ts'
import { auth, me } from '../accounts/contract.ts'
import { adminCategories, categories } from '../categories/contract.ts'
import { adminComments, comments } from '../comments/contract.ts'
import { adminContact, contact } from '../contact/contract.ts'
import type { Endpoint, Group } from '../http/endpoint.ts'
import { adminNewsletter, newsletter } from '../newsletter/contract.ts'
import { adminPosts, posts } from '../posts/contract.ts'
import { search } from '../search/contract.ts'
import { adminSite, site, system } from '../site/contract.ts'
import type { Kind } from '../table/kinds.ts'
import { adminTickets, tickets } from '../tickets/contract.ts'
import { adminWebhooks } from '../webhooks/contract.ts'
import { type Access, type FunctionNeeds, LARGE_TEXTS } from './needs.ts'

export type ApiFunction = FunctionNeeds & { endpoints: Group }

/** What showing posts takes, in lists or alone, with bodies and names. */
const SHOWN_POSTS: Kind[] = ['POST', 'CHUNK', 'SCHEDULED', 'CATEGORIES', 'LIST', 'AUTHOR']
/** What finding posts takes. */
const FOUND_POSTS: Kind[] = ['UNINDEXED', 'TERM', 'POSTINGS']
/** What showing comments takes, and knowing which of them are on their way out. */
const SHOWN_COMMENTS: Kind[] = ['COMMENT', 'THREAD', 'MOVING', 'LIST']
/** Whether it must know who asks: in maintenance an admin alone passes. */
const asksWho = ({ ability, isOpenInMaintenance }: Endpoint): boolean =>
  ability !== null || !isOpenInMaintenance

/** Every API function counts its requests and knows the settings; all that ask who calls note the use of tokens. */
const api = (endpoints: Group, access: Access, more: Partial<FunctionNeeds> = {}): ApiFunction => {
  const all = Object.values(endpoints)
  const callers: Kind[] = all.some(asksWho) ? ['USER'] : []
  // A log of hits is read before it is written; a window is counted in one write.
  const logs: Kind[] = all.some(({ limit }) => limit.kind === 'log') ? ['LIMIT'] : []
  return {
    endpoints,
    reads: ['SETTINGS', ...callers, ...logs, ...access.reads],
    writes: ['LIMIT', ...callers, ...access.writes],
    checks: access.checks,
    sends: [],
    secrets: ['ClientKey'],
    sendsMail: false,
    memoryMb: 1024,
    timeoutSeconds: 20,
    ...more,
  }
}

/** The name is the file in functions/, the id in the stack, the Lambda. */
export const API_FUNCTIONS: Record<string, ApiFunction> = {
  system: api(system, { reads: [], writes: [] }),
  site: api(site, { reads: ['MENUS', 'CHUNK'], writes: [] }),
  posts: api(posts, { reads: [...SHOWN_POSTS, ...FOUND_POSTS, 'SLUG', 'CATEGORYSLUG'], writes: [] }),
  search: api(search, { reads: ['POST', 'CATEGORIES', 'AUTHOR', ...FOUND_POSTS], writes: [] }),
  categories: api(categories, { reads: [...SHOWN_POSTS, 'CATEGORYSLUG'], writes: [] }),
  comments: api(
    comments,
    {
      reads: ['POST', 'SLUG', 'AUTHOR', ...SHOWN_COMMENTS],
      writes: ['COMMENT', 'THREAD', 'LIST', 'COUNTER', 'OUTBOX'],
      checks: ['POST'],
    },
    { sends: ['events'] },
  ),
  auth: api(
    auth,
    {
      reads: ['EMAIL', 'PASSWORD', 'LIST'],
      writes: ['EMAIL', 'PASSWORD', 'AUTHOR', 'LIST', 'COUNTER', 'OUTBOX'],
    },
    { sends: ['events', 'mail', 'tidy'], memoryMb: 1769 },
  ),
  me: api(me, { reads: ['LIST'], writes: ['AUTHOR', 'LIST', 'COUNTER', 'OUTBOX'] }, { sends: ['mail'] }),
  contact: api(
    contact,
    { reads: ['LIST'], writes: ['CONTACT', 'LIST', 'COUNTER', 'OUTBOX'] },
    { sends: ['events'] },
  ),
  newsletter: api(
    newsletter,
    {
      reads: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST'],
      writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST', 'COUNTER', 'OUTBOX'],
    },
    { sends: ['events', 'mail'] },
  ),
  tickets: api(
    tickets,
    { reads: ['TICKET', 'LIST', 'AUTHOR'], writes: ['TICKET', 'LIST', 'COUNTER', 'OUTBOX'] },
    { sends: ['events'] },
  ),
  'admin-posts': api(
    adminPosts,
    {
      reads: ['POST', 'CHUNK', 'SLUG', 'CATEGORIES', 'LIST', 'AUTHOR'],
      writes: [
        ...([
          'POST',
          'SLUG',
          'SCHEDULED',
          'UNINDEXED',
          'MOVING',
          'CATEGORIES',
          'LIST',
          'COUNTER',
          'IDEMPOTENCY',
          'OUTBOX',
        ] satisfies Kind[]),
        ...LARGE_TEXTS,
      ],
    },
    { sends: ['events', 'index', 'tidy'] },
  ),
  'admin-categories': api(
    adminCategories,
    {
      reads: ['CATEGORIES', 'CATEGORYSLUG', 'SCHEDULED'],
      writes: ['CATEGORIES', 'CATEGORYSLUG', 'LIST', 'COUNTER', 'IDEMPOTENCY', 'OUTBOX'],
    },
    { sends: ['tidy'] },
  ),
  'admin-users': api(
    adminUsers,
    { reads: ['LIST'], writes: ['LIST', 'IDEMPOTENCY', 'OUTBOX'] },
    { sends: ['events'] },
  ),
  'admin-site': api(adminSite, {
    reads: ['MENUS', 'CHUNK'],
    writes: ['SETTINGS', 'MENUS', ...LARGE_TEXTS],
  }),
  'admin-comments': api(
    adminComments,
    {
      reads: ['POST', ...SHOWN_COMMENTS],
      writes: ['COMMENT', 'THREAD', 'MOVING', 'LIST', 'IDEMPOTENCY', 'OUTBOX'],
      checks: ['POST'],
    },
    { sends: ['events', 'tidy'] },
  ),
  'admin-webhooks': api(
    adminWebhooks,
    {
      reads: ['WEBHOOK'],
      writes: ['WEBHOOK', 'SUBSCRIBERS', 'DELIVERIES', 'COUNTER', 'IDEMPOTENCY'],
    },
    { secrets: ['ClientKey', 'WebhookKey'] },
  ),
  'admin-newsletter': api(adminNewsletter, {
    reads: ['NEWSLETTER', 'LIST'],
    writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST'],
  }),
  'admin-tickets': api(
    adminTickets,
    {
      reads: ['TICKET', 'LIST', 'AUTHOR'],
      writes: ['TICKET', 'LIST', 'COUNTER', 'IDEMPOTENCY', 'OUTBOX'],
    },
    { sends: ['events'] },
  ),
  'admin-contact': api(adminContact, { reads: ['CONTACT', 'LIST'], writes: ['CONTACT', 'LIST'] }),
}

/** The document of the API: outside of it, by a function that reaches nothing. */
export const DOCUMENT = { name: 'openapi', path: '/openapi.json' }
