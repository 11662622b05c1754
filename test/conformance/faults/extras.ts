// Faults in what completes the contract, and in what is added to it.
import { changed, doesNothing, type Fault, type Faults, type Reply, without } from './fault.ts'

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
  'None changes an answer that a v1 client gets today: new endpoints, optional parameters, new members.': {
    'a preview that counts as a change': {
      on: /^GET \/admin\/posts\/\d+$/,
      ...changed('data.version', () => Math.random()),
      says: 'changed an answer',
    },
  },
}
