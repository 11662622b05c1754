// Faults in what requests do.
import { at } from '../values.ts'
import { changed, doesNothing, type Exchange, edit, type Fault, type Reply, sent } from './fault.ts'

const CREATE = /^POST \/admin\/posts$/

/** The draft, as the admin's list shows it. */
async function showDraft(
  reply: Reply,
  exchange: Exchange,
  forward: (exchange: Exchange) => Promise<Reply>,
  adminToken: string,
): Promise<void> {
  const slug = exchange.request.split('/').at(-1) ?? ''
  const headers = { Authorization: `Bearer ${adminToken}` }
  const query = new URLSearchParams({ slug })
  const { json } = await forward({ request: 'GET /admin/posts', query, headers, body: undefined })
  const data = at({ json }, 'data.0')
  if (reply.status !== 404 || data === undefined) return
  reply.status = 200
  reply.json = { success: true, message: 'Post.', data }
}

function limited(value: unknown, most: number): unknown {
  return typeof value === 'string' ? value.slice(0, most) : value
}

/** `adminToken` is one that the suite may log out. */
export function behaviourFaults(adminToken: () => string): Fault[] {
  return [
    {
      name: 'a draft that is public',
      on: /^GET \/posts\/[^/]+$/,
      after: (reply, exchange, forward) => showDraft(reply, exchange, forward, adminToken()),
      check: 'public endpoints return only published posts whose date is not in the future',
      says: 'answered 200',
    },
    {
      name: '200 for a new post',
      on: CREATE,
      after: reply => {
        if (reply.status === 201) reply.status = 200
      },
      check: 'POST /admin/posts answers 201 with the created post',
      says: 'answered 200',
    },
    {
      name: 'a title that nobody gave',
      on: CREATE,
      ...sent('title', title => title ?? 'Untitled'),
      check: 'a post without `title` is refused',
      says: 'and not 422',
    },
    {
      name: 'a duplicate slug that is replaced',
      on: CREATE,
      ...sent('slug', () => undefined),
      check: 'a `slug` that another post has is refused',
      says: 'and not 422',
    },
    {
      name: 'an seo_title that is cut',
      on: CREATE,
      ...sent('seo_title', title => limited(title, 60)),
      check: '`seo_title` has at most 60 characters',
      says: 'and not 422',
    },
    {
      name: 'a meta_desc that is cut',
      on: /^PATCH \/admin\/posts/,
      ...sent('meta_desc', text => limited(text, 155)),
      check: 'a meta_desc has at most 155 characters',
      says: 'and not 422',
    },
    {
      name: 'an invalid date that is ignored',
      on: CREATE,
      ...sent('posted_at', date => (Number.isNaN(Date.parse(String(date))) ? undefined : date)),
      check: '`posted_at` is a valid date, or null until it is published',
      says: 'and not 422',
    },
    {
      name: 'a body without its tags',
      on: CREATE,
      ...sent('body', body => (typeof body === 'string' ? body.replaceAll(/<[^>]+>/g, '') : body)),
      check: '`body` is empty by default, and HTML reads back unchanged',
      says: '`data.body` is "Ünïcode',
    },
    {
      name: 'categories that are not attached',
      on: CREATE,
      ...sent('category_ids', () => undefined),
      check: '`category_ids` attaches the post to these categories',
      says: 'The post is in the categories ,',
    },
    {
      name: 'a page that is ignored',
      on: /^GET \/posts$/,
      before: ({ query }) => void query.delete('page'),
      check: '`page` walks through the list, from page 1',
      says: '`pagination.current_page` is 1, and not 2',
    },
    {
      name: 'ten posts a page',
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.has('per_page') || query.set('per_page', '10')),
      check: '`per_page` is 12 by default, and at most 100',
      says: '`pagination.per_page` is 10, and not 12',
    },
    {
      name: 'a search for one character',
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.get('q') === 'a' && query.set('q', 'aa')),
      check: '`q` searches posts, and has at least 2 characters',
      says: 'and not 422',
    },
    {
      name: 'a filter of drafts that is ignored',
      on: /^GET \/admin\/posts$/,
      before: ({ query }) => void query.delete('drafts_only'),
      check: 'GET /admin/posts lists all posts, and only drafts with `drafts_only=true`',
      says: 'lists the published post',
    },
    {
      name: 'a deletion that deletes nothing',
      on: /^DELETE \/admin\/posts/,
      ...doesNothing(),
      check: 'deleting a post removes it permanently',
      says: 'A deleted post is public',
    },
    {
      name: 'an unpublish that does nothing',
      on: /\/unpublish$/,
      ...doesNothing(),
      check: 'unpublishing hides a post, and keeps its record',
      says: 'An unpublished post is public',
    },
    {
      name: 'a change that empties the other fields',
      on: /^PATCH \/admin\/posts/,
      before: ({ body }) => void edit(body, 'body', () => ''),
      check: 'PATCH /admin/posts/{id} changes what it is given, and nothing else',
      says: '`data.body` is "", and not "<p>Kept.</p>"',
    },
    {
      name: 'a token in the query string',
      on: /^GET \/me$/,
      before: ({ query, headers }) => {
        const token = query.get('access_token')
        if (token) headers.authorization = `Bearer ${token}`
        return undefined
      },
      check: 'a token in the query string is not accepted',
      says: 'and not 401',
    },
    {
      name: 'a logout that does nothing',
      on: /^POST \/auth\/logout$/,
      ...doesNothing(),
      check: 'POST /auth/logout deletes the presented token',
      says: 'answered 200',
    },
    {
      name: '401 for a missing ability',
      on: /^GET \/admin/,
      after: reply => {
        if (reply.status === 403) reply.status = 401
      },
      check: 'FORBIDDEN is 403 without the ability',
      says: 'answered 401',
    },
    {
      name: 'a login that issues an admin token',
      on: /^POST \/auth\/login$/,
      ...changed('data.token', token => (token === undefined ? token : adminToken())),
      check: 'POST /auth/login returns a token with the ability `user` only',
      says: 'answered 200',
    },
    {
      name: 'an admin token for the asking',
      on: /^POST \/me\/tokens$/,
      before: ({ body }) => {
        const wantsAdmin = JSON.stringify(body).includes('"admin"')
        const data = { token: adminToken() }
        return wantsAdmin
          ? { status: 201, headers: {}, json: { success: true, message: '', data } }
          : undefined
      },
      check: 'no endpoint issues a token with the ability `admin`',
      says: 'is an admin token',
    },
    {
      name: 'abilities that are ignored',
      on: /^POST \/me\/tokens$/,
      ...sent('abilities', () => ['user']),
      check: 'POST /me/tokens creates a token with the chosen abilities',
      says: 'and not 403',
    },
  ]
}
