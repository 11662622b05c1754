// Declares the functions that answer requests: the slices that each serves, and the permissions they need.
import { adminUsers } from '../accounts/admin-contract.ts'
import { auth, me } from '../accounts/contract.ts'
import { adminBatch } from '../batch/contract.ts'
import { adminCategories, categories } from '../categories/contract.ts'
import { changes } from '../changes/contract.ts'
import { adminComments, comments, guestComments, ownComments } from '../comments/contract.ts'
import { adminContact, contact } from '../contact/contract.ts'
import { adminNewsletter, newsletter, ownNewsletter } from '../newsletter/contract.ts'
import { adminPosts, posts } from '../posts/contract.ts'
import { search } from '../posts/search-contract.ts'
import { adminSite, document, site, system } from '../site/contract.ts'
import { KINDS, type RecordKind } from '../table/kinds.ts'
import { adminTickets, tickets } from '../tickets/contract.ts'
import { adminWebhooks } from '../webhooks/contract.ts'
import { type ApiFunction, api, LARGE_TEXTS, listsOf, type SomePermissions } from './permissions.ts'

/** The categories, and the item with their sums and the revision by which cached ones are checked. */
const CATEGORIES: RecordKind[] = ['CATEGORIES', 'CATEGORYTOTALS']
/** Read to show posts, in lists or alone, with their bodies, authors and categories. */
const SHOWN_POSTS: RecordKind[] = ['POST', 'CHUNK', 'CATEGORIES', 'LIST category:*', 'AUTHOR']
/** Read to search posts. */
const SEARCH_INDEX: RecordKind[] = ['INDEX', 'SEGMENT', 'DOC']
/** Read to show comments. */
const SHOWN_COMMENTS: RecordKind[] = ['COMMENT', 'THREAD', 'LIST comments:*']
/** The lists of users, by id, name and address. */
const USER_LISTS = listsOf(KINDS.USER)
/** The lists of posts, for readers and for admins. */
const POST_LISTS = listsOf(KINDS.POST)

/** To comment as a guest or a user. */
const COMMENTING = {
  reads: ['POST', 'SLUG', ...SHOWN_COMMENTS],
  writes: ['COMMENT', 'THREAD', 'LIST comments:*', 'COUNTER'],
} satisfies SomePermissions
/** To subscribe by mail or as a user. */
const SUBSCRIBING = {
  reads: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*'],
  writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*', 'COUNTER'],
} satisfies SomePermissions

/** Each by its name: the file in functions/, and the id in the stack. */
export const API_FUNCTIONS = {
  /** Every public read. It writes nothing but counts. */
  public: api({
    system: { endpoints: system },
    site: { endpoints: site, reads: ['MENUS', 'CHUNK'] },
    posts: {
      endpoints: posts,
      reads: [...SHOWN_POSTS, 'LIST posts', 'LIST pages', ...SEARCH_INDEX, 'SLUG', 'CATEGORYSLUG'],
    },
    search: { endpoints: search, reads: ['POST', 'CHUNK', ...CATEGORIES, 'AUTHOR', ...SEARCH_INDEX] },
    categories: { endpoints: categories, reads: [...SHOWN_POSTS, 'CATEGORYSLUG'] },
    changes: {
      endpoints: changes,
      reads: ['POST', 'CHUNK', 'CATEGORIES', 'AUTHOR', 'SCHEDULED', 'MENUS', 'CHANGES'],
    },
    comments: { endpoints: comments, reads: ['POST', 'SLUG', 'AUTHOR', ...SHOWN_COMMENTS] },
  }),
  /** What guests send. */
  community: api({
    contact: {
      endpoints: contact,
      reads: ['LIST contact'],
      writes: ['CONTACT', 'LIST contact', 'COUNTER'],
    },
    comments: { endpoints: guestComments, ...COMMENTING },
    newsletter: { endpoints: newsletter, ...SUBSCRIBING, sends: ['jobs'], secrets: ['PrivateKey'] },
  }),
  auth: api(
    {
      auth: {
        endpoints: auth,
        reads: ['EMAIL', 'PASSWORD', ...USER_LISTS],
        writes: ['USER', 'EMAIL', 'PASSWORD', 'AUTHOR', ...USER_LISTS, 'COUNTER'],
        sends: ['jobs'],
        secrets: ['PrivateKey'],
      },
    },
    1769,
  ),
  /** Everything under /me. */
  me: api({
    me: {
      endpoints: me,
      // A list entry whose position does not change is written without reading its list.
      reads: ['LIST users:*', 'AUTHOR', 'SCHEDULED', 'POST'],
      writes: ['USER', 'AUTHOR', 'VERSION', ...USER_LISTS, 'COUNTER'],
      sends: ['jobs'],
    },
    comments: {
      endpoints: ownComments,
      reads: [...COMMENTING.reads, 'AUTHOR', 'PENDING'],
      writes: [...COMMENTING.writes, 'PENDING'],
    },
    newsletter: { endpoints: ownNewsletter, ...SUBSCRIBING, updates: ['USER'] },
    tickets: {
      endpoints: tickets,
      reads: ['TICKET', 'LIST tickets:*', 'AUTHOR'],
      writes: ['TICKET', 'LIST tickets:*', 'COUNTER'],
    },
  }),
  /** Everything under /admin. */
  admin: api({
    batch: { endpoints: adminBatch },
    posts: {
      endpoints: adminPosts,
      reads: ['POST', 'CHUNK', 'SLUG', 'DOC', ...CATEGORIES, ...POST_LISTS, 'AUTHOR'],
      writes: [
        ...(['POST', 'SLUG', 'SCHEDULED', 'DOC', 'INDEX', 'CATEGORIES'] satisfies RecordKind[]),
        ...(['VERSION', 'COUNTER', ...POST_LISTS, ...LARGE_TEXTS] satisfies RecordKind[]),
      ],
      updates: ['AUTHOR'],
      sends: ['index', 'jobs'],
    },
    categories: {
      endpoints: adminCategories,
      reads: [...CATEGORIES, 'CATEGORYSLUG', 'SCHEDULED'],
      writes: [...CATEGORIES, 'CATEGORYSLUG', 'LIST category:*', 'COUNTER', 'VERSION'],
      sends: ['jobs'],
    },
    comments: {
      endpoints: adminComments,
      reads: ['POST', ...SHOWN_COMMENTS],
      writes: ['COMMENT', 'THREAD', 'LIST comments:*'],
      sends: ['jobs'],
    },
    users: { endpoints: adminUsers, reads: USER_LISTS, writes: USER_LISTS, updates: ['USER'] },
    site: {
      endpoints: adminSite,
      reads: ['MENUS', 'CHUNK'],
      writes: ['SETTINGS', 'MENUS', 'VERSION', ...LARGE_TEXTS],
    },
    newsletter: {
      endpoints: adminNewsletter,
      reads: ['NEWSLETTER', 'LIST newsletter:*', 'REFUSALS'],
      writes: ['NEWSLETTER', 'NEWSLETTEREMAIL', 'LIST newsletter:*'],
    },
    contact: {
      endpoints: adminContact,
      reads: ['CONTACT', 'LIST contact'],
      writes: ['CONTACT', 'LIST contact'],
    },
    tickets: {
      endpoints: adminTickets,
      reads: ['TICKET', 'LIST tickets:*', 'AUTHOR'],
      writes: ['TICKET', 'LIST tickets:*', 'COUNTER'],
    },
    webhooks: {
      endpoints: adminWebhooks,
      reads: ['WEBHOOK', 'DELIVERIES', 'EVENT'],
      writes: ['WEBHOOK', 'SUBSCRIBERS', 'SUBSCRIPTIONS', 'DELIVERIES', 'EVENT', 'COUNTER'],
      sends: ['deliveries', 'jobs'],
      secrets: ['PrivateKey'],
    },
  }),
} satisfies Record<string, ApiFunction>

/** The function that serves the OpenAPI document, and every path and method without an endpoint. */
export const DOCUMENT = { name: 'public', path: document.getDocument.path }
export const OTHERS = 'public'
