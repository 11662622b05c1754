// Faults in what completes the contract, and in what is added to it.
import { changed, doesNothing, type Fault, type Faults, type Reply, type Sent, without } from './fault.ts'

function withoutHeader(name: string): Pick<Fault, 'after'> {
  return {
    after: ({ headers }) => {
      delete headers[name]
    },
  }
}

/** The service does not get a header of the request. */
function withoutRequestHeader(name: string): Pick<Fault, 'before'> {
  return {
    before: ({ headers }) => {
      delete headers[name]
      return undefined
    },
  }
}

function corsOnSuccess({ status, headers }: Reply): void {
  if (status >= 400) delete headers['access-control-allow-origin']
}

/** The service does not get a parameter of the request. */
function ignoring(name: string): Pick<Fault, 'before'> {
  return { before: ({ query }) => void query.delete(name) }
}

function otherId({ headers, ...rest }: Sent): Sent[] {
  const isAgain = headers['webhook-attempt'] === '2'
  return [{ ...rest, headers: { ...headers, ...(isAgain && { 'webhook-id': 'another' }) } }]
}

function oneSignature({ headers, ...rest }: Sent): Sent[] {
  const [signature = ''] = headers['webhook-signature']?.split(' ') ?? []
  return [{ ...rest, headers: { ...headers, 'webhook-signature': signature } }]
}

export const EXTRA_FAULTS: Faults = {
  'Every response carries `X-Request-Id`. A client may send its own; one that is not 1 to 128 characters of `[A-Za-z0-9._-]` is replaced, not refused.':
    {
      'answers without a request id': { ...withoutHeader('x-request-id'), says: 'has no X-Request-Id' },
    },
  "CORS: `Access-Control-Allow-Origin: *` on every response, errors and the gateway's own included;": {
    'failures that other origins cannot read': {
      after: corsOnSuccess,
      says: 'Access-Control-Allow-Origin is null',
    },
  },
  "Public GETs (health aside) carry a weak `ETag`, a hash of the answer's JSON;": {
    'If-None-Match that is ignored': {
      on: /^GET \/posts\//,
      ...withoutRequestHeader('if-none-match'),
      says: 'and not 304',
    },
  },
  '`If-None-Match` compares weakly (304), `If-Match` strongly (412) on admin PATCH, DELETE, publish and unpublish of posts and categories; both take lists and `*`; without them nothing changes.':
    {
      'If-Match that is ignored': { on: /^PATCH /, ...withoutRequestHeader('if-match'), says: 'and not 412' },
    },
  'An admin POST accepts `Idempotency-Key` (1 to 255 characters): the same key, path and body from the same user within 24 h gives the first answer again (`Idempotent-Replayed: true`) and does nothing.':
    {
      'Idempotency-Key that is ignored': {
        on: /^POST /,
        ...withoutRequestHeader('idempotency-key'),
        says: '`data.id` is',
      },
    },
  '`GET /posts`, `GET /categories/{slug}/posts` and `GET /pages` take `include=body`: items then carry `body`, `seo_title`, `meta_desc`, so that a static build of N posts needs N/100 calls.':
    {
      'include=body that is ignored': {
        on: /^GET \/posts$/,
        ...ignoring('include'),
        says: '`data.0.body` is missing',
      },
    },
  'A ping answers 200 with `delivered: true`, `response_status`, `duration_ms`, or 502 with the reason in `message`; it counts in the counters like any delivery.':
    {
      'a ping without its duration': {
        on: /\/test$/,
        ...without('data.duration_ms'),
        says: '`data.duration_ms` is missing',
      },
    },
  'Deliveries carry, beside `Signature`: `Content-Type: application/json`, `User-Agent`, and the Standard Webhooks headers `webhook-id` (stable for event and subscription), `webhook-timestamp`, `webhook-signature`.':
    {
      'deliveries that Standard Webhooks cannot verify': {
        delivery: ({ headers, ...rest }) => [{ ...rest, headers: { ...headers, 'webhook-timestamp': '0' } }],
        says: 'webhook-signature is',
      },
    },
  'Each attempt to deliver is a record, kept 30 days.': {
    'a log without deliveries': {
      on: /\/deliveries$/,
      ...changed('data', () => []),
      says: '`data.0.event` is missing',
    },
  },
  '| GET | `/admin/webhooks/{id}/deliveries` | newest first; `status` (`sending`, `succeeded`, `failed`), `event`, `since`, `until`, `limit`, `after` |':
    {
      'a filter of the log that is ignored': {
        on: /\/deliveries$/,
        ...ignoring('status'),
        says: 'lists a failed delivery',
      },
    },
  "The single one adds `request` (`url`, `headers` as sent but for the secret's signature base, `body` byte for byte) and `response` (`headers`, at most 2 kB; `body_start`, the first 1,024 bytes as text).":
    {
      'a logged body with other bytes': {
        on: /\/deliveries\/[^/]+$/,
        ...changed('data.request.body', body => `${body} `),
        says: '`data.request.body` is',
      },
    },
  '`GET /admin/webhooks/{id}` (not the list) also shows `last_success_at`, `last_failure_at`, `recent` (`{succeeded, failed}` of the last 20 attempts), `secret_rotation` (below).':
    {
      'a subscription without its last attempts': {
        on: /^GET \/admin\/webhooks\/\d+$/,
        ...without('data.recent'),
        says: '`data.recent.succeeded` is missing',
      },
    },
  'Same body byte for byte, same `webhook-id`, new `webhook-timestamp` and signatures, header `webhook-attempt: N`.':
    {
      'a redelivery under another id': { delivery: otherId, says: 'A redelivery has another `webhook-id`' },
    },
  'While the overlap lasts, `webhook-signature` carries two signatures, the new one first (Standard Webhooks: a receiver accepts either), and `Signature` stays with the old secret;':
    {
      'a rotation without overlap': { delivery: oneSignature, says: 'webhook-signature is' },
    },
  'no change that was committed before the answer to its write went out may be missed by a reader that asks after the webhook, and none for ever.':
    {
      'a feed that lags behind': {
        on: /^GET \/changes$/,
        ...changed('data', () => []),
        says: 'does not name the post',
      },
    },
  '`removed` is all that left public view, deletion and unpublishing alike; it names id and slug and nothing else.':
    {
      'a removal that is an upsert': {
        on: /^GET \/changes$/,
        ...changed('data.*.change', () => 'upserted'),
        says: 'is "upserted", and not "removed"',
      },
    },
  'A broken one, or one of another endpoint, is 422 on its parameter.': {
    'a broken cursor that is ignored': { on: /^GET \/changes$/, ...ignoring('since'), says: 'and not 422' },
  },
  'Walking by it, an entry that nobody touched is met exactly once, whatever is published, removed or rescheduled meanwhile.':
    {
      'a walk that starts again': { on: /^GET \/posts$/, ...ignoring('after'), says: 'A walk met the posts' },
    },
  'Public and admin lists of posts and pages take `after` (a cursor) instead of `page` (both: 422), and every answer of such a list has `cursor.next`.':
    {
      'a page that wins over a cursor': {
        on: /^GET \/posts$/,
        before: ({ query }) => void (query.has('page') && query.delete('after')),
        says: 'and not 422',
      },
    },
  '`order=oldest` on the public lists of posts gives the same entries from the oldest on, with `after` or `page`: full pages of it never change by a new post.':
    {
      'order=oldest that is ignored': {
        on: /^GET \/posts$/,
        ...ignoring('order'),
        says: 'does not begin with the oldest',
      },
    },
  "A token with the ability `builds:read` (given by an admin through `POST /me/tokens`, or by the owner's command line; nothing else is allowed by it) may be sent with public reads: they are then counted per token, 1,200 a minute, and not per address.":
    {
      'builds that are counted per address': {
        on: /^GET \/posts$/,
        ...withoutRequestHeader('authorization'),
        says: 'The limit with the token is',
      },
    },
  'Abilities do not imply each other. `/me`, `/me/verify-email` and `/me/tokens*` need `user`; `/me/comments` `comments:write`; `/me/tickets*` `tickets:write`; `/me/newsletter` `newsletter:manage`; reads need the same ability as writes.':
    {
      'tickets that any ability may read': {
        on: /^GET \/me\/tickets$/,
        after: reply => {
          reply.status = 200
        },
        says: 'and not 403',
      },
    },
  'Comment: `id`, `post_id`, `parent_id`, `author` {`name`, `avatar`}, `body`, `status` (`pending`, `approved`, `rejected`), `created_at`; admins also see `user_id`, `author_email`, `post_slug`.':
    {
      'a comment without its author': {
        on: /^POST \/me\/comments$/,
        ...without('data.author'),
        says: '`data.author.name` is missing',
      },
    },
  '| GET | `/posts/{slug}/comments` | approved only, oldest first, flat with `parent_id` |': {
    'a rejection that does nothing': {
      on: /^POST \/admin\/comments\/\d+\/reject$/,
      ...doesNothing(),
      says: 'Readers see a rejected comment',
    },
  },
  '| GET, POST | `/me/tickets` | `subject` 1 to 255, `description` 1 to 10,000, `priority` `low` `medium` (default) `high` `urgent`; lists without `replies` |':
    {
      'tickets without a subject': { on: /^POST \/me\/tickets$/, ...doesNothing(), says: 'and not 422' },
    },
  'A wrong, used or expired token is 422 on `token`.': {
    'a newsletter that takes any token': {
      on: /^POST \/newsletter\/unsubscribe$/,
      ...doesNothing(),
      says: 'and not 422',
    },
  },
  '| GET | `/admin/users` | `q` (prefix of e-mail or name, without regard to case); `GET …/{id}`; `POST …/{id}/ban` {`reason?`, `until?` in the future}; `POST …/{id}/unban`; both answer with the user |':
    {
      'a search for users that finds nothing': {
        on: /^GET \/admin\/users$/,
        ...changed('data', () => []),
        says: 'does not find the user',
      },
    },
}
