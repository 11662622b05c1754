// Declares the API functions: the endpoints of each, and the permissions it needs.
import { adminUsers } from '../accounts/admin-contract.ts'
import { auth, me } from '../accounts/contract.ts'
import { adminCategories, categories } from '../categories/contract.ts'
import { changes } from '../changes/contract.ts'
import { adminComments, comments } from '../comments/contract.ts'
import { adminContact, contact } from '../contact/contract.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { adminNewsletter, newsletter } from '../newsletter/contract.ts'
import { adminPosts, posts } from '../posts/contract.ts'
import { search } from '../search/contract.ts'
import { adminSite, site, system } from '../site/contract.ts'
import { KINDS, type Reach } from '../table/kinds.ts'
import { adminTickets, tickets } from '../tickets/contract.ts'
import { adminWebhooks } from '../webhooks/contract.ts'
import { type ApiFunction, api, TOKEN_USE } from './api-function.ts'
import { LARGE_TEXTS, listsOf } from './needs.ts'

/** The categories, and the item with their sums and the revision by which cached ones are checked. */
const CATEGORIES: Reach[] = ['CATEGORIES', 'CATEGORYTOTALS']
/** Read to show posts, in lists or alone, with their bodies, authors and categories. */
const SHOWN_POSTS: Reach[] = ['POST', 'CHUNK', 'CATEGORIES', 'LIST category:*', 'AUTHOR']
/** Read to search posts. */
const SEARCH_INDEX: Reach[] = ['INDEX', 'SEGMENT', 'DOC']
/** Read to show comments. */
const SHOWN_COMMENTS: Reach[] = ['COMMENT', 'THREAD', 'LIST comments:*']
/** The lists of users, by id, name and address. */
const USER_LISTS = listsOf(KINDS.USER)
/** The lists of posts, for readers and for admins. */
const POST_LISTS = listsOf(KINDS.POST)

/** Each by its name: the file in functions/, and the id in the stack. */
export const API_FUNCTIONS: Record<string, ApiFunction> = {
  system: api(system, { reads: ['OUTBOX', 'SWEEP'], writes: [] }),
  site: api(site, { reads: ['MENUS', 'CHUNK'], writes: [] }),
  posts: api(posts, {
    reads: [...SHOWN_POSTS, 'LIST posts', 'LIST pages', ...SEARCH_INDEX, 'SLUG', 'CATEGORYSLUG'],
    writes: [],
  }),
  search: api(search, { reads: ['POST', 'CHUNK', ...CATEGORIES, 'AUTHOR', ...SEARCH_INDEX], writes: [] }),
  categories: api(categories, { reads: [...SHOWN_POSTS, 'CATEGORYSLUG'], writes: [] }),
  changes: api(changes, {
    reads: ['POST', 'CHUNK', 'CATEGORIES', 'AUTHOR', 'SCHEDULED', 'MENUS', 'CHANGES'],
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
    { sends: ['mail', 'tidy'], secrets: ['ClientKey', 'PrivateKey'], memoryMb: 1769 },
  ),
  me: api(
    me,
    // A list entry whose position does not change is written without reading its list.
    {
      reads: ['LIST users:*', 'AUTHOR', 'SCHEDULED', 'POST'],
      writes: ['USER', 'AUTHOR', 'VERSION', ...USER_LISTS, 'COUNTER'],
    },
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
    { sends: ['mail'], secrets: ['ClientKey', 'PrivateKey'] },
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
          'CATEGORIES',
          'VERSION',
          ...POST_LISTS,
          'COUNTER',
        ] satisfies Reach[]),
        ...LARGE_TEXTS,
      ],
      updates: [{ of: 'AUTHOR', attributes: ['public_posts'] }],
    },
    { sends: ['index', 'tidy'] },
  ),
  'admin-categories': api(
    adminCategories,
    {
      reads: [...CATEGORIES, 'CATEGORYSLUG', 'SCHEDULED', 'LIST category:*', 'LIST pages'],
      writes: [...CATEGORIES, 'CATEGORYSLUG', 'LIST category:*', 'COUNTER', 'VERSION'],
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
    writes: ['SETTINGS', 'MENUS', 'VERSION', ...LARGE_TEXTS],
  }),
  'admin-comments': api(
    adminComments,
    {
      reads: ['POST', ...SHOWN_COMMENTS],
      writes: ['COMMENT', 'THREAD', 'LIST comments:*'],
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
    { sends: ['deliveries', 'tidy'], secrets: ['ClientKey', 'PrivateKey'] },
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

/** The OpenAPI document: bare, counted as a public read, and not one of the endpoints that it describes. */
export const document = group({}, () => ({
  getDocument: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    message: 'The document.',
    isOpenInMaintenance: true,
    isCacheable: false,
    data: EmptyData,
  }),
}))

/** The function that serves it. Its reader may have a token for builds. */
export const DOCUMENT = {
  name: 'openapi',
  path: '/openapi.json',
  needs: api(
    document,
    { reads: ['USER'], writes: [], updates: [TOKEN_USE] },
    { memoryMb: 512, timeoutSeconds: 10 },
  ),
}
