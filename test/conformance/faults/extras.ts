// Faults in what completes the contract, and in what is added to it.
import {
  changed,
  doesNothing,
  type Exchange,
  type Fault,
  type Faults,
  type Reply,
  type Sent,
  without,
} from './fault.ts'

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

function missingPage(reply: Reply, { query }: Exchange): void {
  if (query.get('page') === '99') reply.status = 404
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
  None: {
    'a deletion without `data`': {
      on: /^DELETE /,
      ...changed('data', () => null),
      says: '`data` is null, and not {}',
    },
    'the oldest post first': {
      on: /^GET \/posts$/,
      ...changed('data', posts => (Array.isArray(posts) ? posts.toReversed() : posts)),
      says: 'the newest is not first',
    },
    'validation errors without fields': {
      on: /^POST \/admin\/posts$/,
      ...without('errors.fields'),
      says: '`errors.fields` is missing',
    },
    '404 for a page past the end': { on: /^GET \/posts$/, after: missingPage, says: 'answered 404' },
    'limits that are not told': {
      on: /^GET \/posts$/,
      ...withoutHeader('x-ratelimit-reset'),
      says: 'X-RateLimit-Reset is missing',
    },
    'answers without a request id': { ...withoutHeader('x-request-id'), says: 'has no X-Request-Id' },
    'failures that other origins cannot read': {
      after: corsOnSuccess,
      says: 'Access-Control-Allow-Origin is null',
    },
    'If-None-Match that is ignored': {
      on: /^GET \/posts\//,
      ...withoutRequestHeader('if-none-match'),
      says: 'and not 304',
    },
    'If-Match that is ignored': { on: /^PATCH /, ...withoutRequestHeader('if-match'), says: 'and not 412' },
    'Idempotency-Key that is ignored': {
      on: /^POST /,
      ...withoutRequestHeader('idempotency-key'),
      says: '`data.id` is',
    },
    'include=body that is ignored': {
      on: /^GET \/posts$/,
      ...ignoring('include'),
      says: '`data.0.body` is missing',
    },
    'a ping without its duration': {
      on: /\/test$/,
      ...without('data.duration_ms'),
      says: '`data.duration_ms` is missing',
    },
    'deliveries that Standard Webhooks cannot verify': {
      delivery: ({ headers, ...rest }) => [{ ...rest, headers: { ...headers, 'webhook-timestamp': '0' } }],
      says: 'webhook-signature is',
    },
    'a log without deliveries': {
      on: /\/deliveries$/,
      ...changed('data', () => []),
      says: '`data.0.event` is missing',
    },
    'a filter of the log that is ignored': {
      on: /\/deliveries$/,
      ...ignoring('status'),
      says: 'lists a failed delivery',
    },
    'a logged body with other bytes': {
      on: /\/deliveries\/[^/]+$/,
      ...changed('data.request.body', body => `${body} `),
      says: '`data.request.body` is',
    },
    'a subscription without its last attempts': {
      on: /^GET \/admin\/webhooks\/\d+$/,
      ...without('data.recent'),
      says: '`data.recent.succeeded` is missing',
    },
    'a redelivery under another id': { delivery: otherId, says: 'A redelivery has another `webhook-id`' },
    'a rotation without overlap': { delivery: oneSignature, says: 'webhook-signature is' },
    'a feed that lags behind': {
      on: /^GET \/changes$/,
      ...changed('data', () => []),
      says: 'does not name the post',
    },
    'a removal that is an upsert': {
      on: /^GET \/changes$/,
      ...changed('data.*.change', () => 'upserted'),
      says: 'is "upserted", and not "removed"',
    },
    'a broken cursor that is ignored': { on: /^GET \/changes$/, ...ignoring('since'), says: 'and not 422' },
    'a walk that starts again': { on: /^GET \/posts$/, ...ignoring('after'), says: 'A walk met the posts' },
    'a page that wins over a cursor': {
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.has('page') && query.delete('after')),
      says: 'and not 422',
    },
    'order=oldest that is ignored': {
      on: /^GET \/posts$/,
      ...ignoring('order'),
      says: 'does not begin with the oldest',
    },
    'builds that are counted per address': {
      on: /^GET \/posts$/,
      ...withoutRequestHeader('authorization'),
      says: 'The limit with the token is',
    },
    'tickets that any ability may read': {
      on: /^GET \/me\/tickets$/,
      after: reply => {
        reply.status = 200
      },
      says: 'and not 403',
    },
    'a comment without its author': {
      on: /^POST \/me\/comments$/,
      ...without('data.author'),
      says: '`data.author.name` is missing',
    },
    'a rejection that does nothing': {
      on: /^POST \/admin\/comments\/\d+\/reject$/,
      ...doesNothing(),
      says: 'Readers see a rejected comment',
    },
    'tickets without a subject': { on: /^POST \/me\/tickets$/, ...doesNothing(), says: 'and not 422' },
    'a newsletter that takes any token': {
      on: /^POST \/newsletter\/unsubscribe$/,
      ...doesNothing(),
      says: 'and not 422',
    },
    'a search for users that finds nothing': {
      on: /^GET \/admin\/users$/,
      ...changed('data', () => []),
      says: 'does not find the user',
    },
  },
}
