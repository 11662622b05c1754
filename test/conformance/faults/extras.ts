// Faults in what completes the contract, and in what is added to it.
import { COMMUNITY_FAULTS } from './community.ts'
import { EXTENSION_FAULTS } from './extensions.ts'
import { changed, type Exchange, type Fault, type Reply, without } from './fault.ts'

function withoutHeader(name: string): Pick<Fault, 'after'> {
  return {
    after: ({ headers }) => {
      delete headers[name]
    },
  }
}

/** The service does not get a header of the request. */
function ignoring(name: string): Pick<Fault, 'before'> {
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

function missingPage(reply: Reply, { query }: Exchange): void {
  if (query.get('page') === '99') reply.status = 404
}

export const EXTRA_FAULTS: Fault[] = [
  {
    name: 'a deletion without `data`',
    on: /^DELETE /,
    ...changed('data', () => null),
    check: 'a deletion returns an empty object',
    says: '`data` is null, and not {}',
  },
  {
    name: 'the oldest post first',
    on: /^GET \/posts$/,
    ...changed('data', posts => (Array.isArray(posts) ? posts.toReversed() : posts)),
    check: 'lists of posts are newest first',
    says: 'the newest is not first',
  },
  {
    name: 'validation errors without fields',
    on: /^POST \/admin\/posts$/,
    ...without('errors.fields'),
    check: 'a validation error names all fields that are wrong',
    says: '`errors.fields` is missing',
  },
  {
    name: '404 for a page past the end',
    on: /^GET \/posts$/,
    after: missingPage,
    check: 'a page past the end is empty',
    says: 'answered 404',
  },
  {
    name: 'limits that are not told',
    on: /^GET \/posts$/,
    ...withoutHeader('x-ratelimit-reset'),
    check: 'answers tell the limit, and what is left of it',
    says: 'X-RateLimit-Reset is missing',
  },
  {
    name: 'answers without a request id',
    ...withoutHeader('x-request-id'),
    check: 'every answer has a request id, and takes the one of the client',
    says: 'has no X-Request-Id',
  },
  {
    name: 'failures that other origins cannot read',
    after: corsOnSuccess,
    check: 'pages of other origins may read every answer',
    says: 'Access-Control-Allow-Origin is null',
  },
  {
    name: 'If-None-Match that is ignored',
    on: /^GET \/posts\//,
    ...ignoring('if-none-match'),
    check: 'an unchanged answer is 304',
    says: 'and not 304',
  },
  {
    name: 'If-Match that is ignored',
    on: /^PATCH /,
    ...ignoring('if-match'),
    check: 'a write with the ETag of an older version is 412',
    says: 'and not 412',
  },
  {
    name: 'Idempotency-Key that is ignored',
    on: /^POST /,
    ...ignoring('idempotency-key'),
    check: 'a repeated POST with the same key does nothing',
    says: '`data.id` is',
  },
  {
    name: 'include=body that is ignored',
    on: /^GET \/posts$/,
    before: ({ query }) => void query.delete('include'),
    check: '`include=body` returns whole posts in a list',
    says: '`data.0.body` is missing',
  },
  {
    name: 'a ping without its duration',
    on: /\/test$/,
    ...without('data.duration_ms'),
    check: 'a ping answers delivered, response_status and duration_ms',
    says: '`data.duration_ms` is missing',
  },
  {
    name: 'deliveries that Standard Webhooks cannot verify',
    delivery: ({ headers, ...rest }) => [{ ...rest, headers: { ...headers, 'webhook-timestamp': '0' } }],
    check: 'deliveries carry the signature of Standard Webhooks as well',
    says: 'webhook-signature is',
  },
  ...EXTENSION_FAULTS,
  ...COMMUNITY_FAULTS,
]
