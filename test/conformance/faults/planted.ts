// The planted faults: each contradicts a sentence, and the check of that sentence says what it has found.
import { answered, changed, doesNothing, edit, type Fault, sent, without, withoutHeader } from './fault.ts'

const LIST = /^GET \/posts$/
const SINGLE = /^GET \/posts\/[^/]+$/
const CREATE = /^POST \/admin\/posts$/
const CHANGE = /^PATCH \/admin\/posts/
const SUBSCRIBE = /^POST \/admin\/webhooks$/
const RELATED = /\/related$/

function plusOne(value: unknown): number {
  return Number(value) + 1
}

function reversed(items: unknown): unknown {
  return Array.isArray(items) ? items.toReversed() : items
}

/** `sentence`: a part that no other sentence has. `says`: a part of what the check says. */
export const PLANTED: [sentence: string, says: string, fault: Fault][] = [
  ['uses one envelope', '`success` is missing', { on: /^GET \/categories$/, ...without('success') }],
  [
    '`errors.code` | string',
    '"not_found"',
    { on: SINGLE, ...changed('errors.code', code => code && String(code).toLowerCase()) },
  ],
  [
    '`pagination` | object',
    'there is a member `pagination`',
    { on: SINGLE, ...changed('pagination', () => ({ total: 1 })) },
  ],
  [
    '`pagination` object fields',
    '`pagination.total` is "6", and not an integer',
    { on: LIST, ...changed('pagination.total', String) },
  ],
  [
    '`excerpt` | string',
    'An excerpt contains HTML',
    { on: LIST, ...changed('data.*.excerpt', excerpt => `<p>${excerpt}</p>`) },
  ],
  [
    '`featured_image` | object',
    'not a complete absolute URL',
    { on: LIST, ...changed('data.*.featured_image', () => ({ thumbnail: '/images/1.jpg' })) },
  ],
  [
    '`posted_at` | string |',
    'not an ISO 8601 timestamp with offset',
    { on: LIST, ...changed('data.*.posted_at', date => String(date).slice(0, 19)) },
  ],
  ['ordered by recency', 'the newest is not first', { on: RELATED, ...changed('data', reversed) }],
  [
    'counts published posts only',
    '`posts_count` is 7',
    { on: /^GET \/categories\/[^/]+$/, ...changed('data.posts_count', plusOne) },
  ],
  [
    'whose keys are dotted strings',
    'the keys general have no dot',
    { on: /^GET \/settings\/public$/, ...changed('data', () => ({ general: { site_name: 'Site' } })) },
  ],
  [
    '`data.items` is an array',
    '`data.items.0.children.0.children` is missing',
    { on: /^GET \/menus\//, ...without('data.items.*.children.*.children') },
  ],
  [
    'Public visibility rule',
    'before its date',
    { on: LIST, ...changed('data.*.posted_at', () => '2999-01-01T00:00:00Z') },
  ],
  ['post write fields; `title` required', 'answered 200', { on: CREATE, ...answered(200, 201) }],
  ['must not duplicate an existing slug', 'and not 422', { on: CREATE, ...sent('slug', () => undefined) }],
  [
    '`meta_desc` | max 155 characters',
    'and not 422',
    { on: CHANGE, ...sent('meta_desc', text => String(text).slice(0, 155)) },
  ],
  [
    'default empty string',
    '`data.body` is "Ünïcode',
    { on: CREATE, ...sent('body', body => body && String(body).replaceAll(/<[^>]+>/g, '')) },
  ],
  [
    '| `page` | integer',
    '`pagination.current_page` is 1, and not 2',
    { on: LIST, before: ({ query }) => void query.delete('page') },
  ],
  [
    'no soft delete by default',
    'A deleted post is public',
    { on: /^DELETE \/admin\/posts/, ...doesNothing() },
  ],
  ['the record stays', 'An unpublished post is public', { on: /\/unpublish$/, ...doesNothing() }],
  [
    '`/api/v1/admin/posts/{id}` | any subset of write fields',
    '`data.body` is "", and not "<p>Kept.</p>"',
    { on: CHANGE, ...sent('body', () => '') },
  ],
  [
    'in URL query strings',
    'and not 401',
    {
      on: /^GET \/me$/,
      before: ({ query, headers }) => {
        headers.authorization = `Bearer ${query.get('access_token')}`
        return undefined
      },
    },
  ],
  ['deletes the presented token; later', 'answered 200', { on: /^POST \/auth\/logout$/, ...doesNothing() }],
  ['| `FORBIDDEN` | 403 |', 'answered 401', { on: /^GET \/admin/, ...answered(401, 403) }],
  [
    'No API endpoint issues admin tokens',
    'is an admin token',
    {
      on: /^POST \/me\/tokens$/,
      // The presented token in the place of a new one.
      before: ({ headers }) => {
        const token = headers.authorization?.replace('Bearer ', '')
        return { status: 201, headers: {}, json: { success: true, message: '', data: { token } } }
      },
    },
  ],
  [
    'returned only in the creation response',
    '.secret`, which is "whsec_shown"',
    { on: /^GET \/admin\/webhooks$/, ...changed('data.*.secret', () => 'whsec_shown') },
  ],
  [
    'An inactive subscription receives no deliveries',
    'An inactive subscription received',
    {
      on: /^PATCH \/admin\/webhooks/,
      ...sent('is_active', () => true),
      after: ({ json }) => edit(json, 'data.is_active', () => false),
    },
  ],
  [
    'whose `events` contain the event name',
    'A subscription to post.deleted received',
    { on: SUBSCRIBE, ...sent('events', () => ['*']) },
  ],
  [
    'sends a `test.ping` event',
    'and not 502',
    { on: /^POST \/admin\/webhooks\/\d+\/test$/, ...answered(200, 502) },
  ],
  ['Failed deliveries are not retried', 'were sent 4 times', { delivery: original => [original, original] }],
  [
    'Header `Signature`',
    'Signature is',
    {
      delivery: ({ headers, ...rest }) => {
        const signature = headers.signature?.toUpperCase() ?? ''
        return [{ ...rest, headers: { ...headers, signature } }]
      },
    },
  ],
  [
    'Header `Signature`',
    'Signature is',
    { delivery: ({ body, ...rest }) => [{ ...rest, body: Buffer.concat([body, Buffer.from(' ')]) }] },
  ],
  ['Method POST to the subscription', 'is a PUT', { delivery: original => [{ ...original, method: 'PUT' }] }],
  ['accepts `Idempotency-Key`', '`data.id` is', { on: /^POST /, ...withoutHeader('idempotency-key') }],
  [
    'None changes an answer that a v1 client gets today',
    'changed an answer',
    { on: /^GET \/admin\/posts\/\d+$/, ...changed('data.version', () => Math.random()) },
  ],
]
