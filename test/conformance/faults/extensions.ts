// Faults in the delivery log, redelivery, rotation, changes, walks and the allowance of builds.
import { changed, type Exchange, type Fault, type Sent, without } from './fault.ts'

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

function withoutToken({ headers }: Exchange): undefined {
  delete headers.authorization
}

export const EXTENSION_FAULTS: Fault[] = [
  {
    name: 'a log without deliveries',
    on: /\/deliveries$/,
    ...changed('data', () => []),
    check: 'each attempt to deliver is in the log of its subscription',
    says: '`data.0.event` is missing',
  },
  {
    name: 'a filter of the log that is ignored',
    on: /\/deliveries$/,
    ...ignoring('status'),
    check: 'the log is filtered by status, and a failure says why',
    says: 'lists a failed delivery',
  },
  {
    name: 'a logged body with other bytes',
    on: /\/deliveries\/[^/]+$/,
    ...changed('data.request.body', body => `${body} `),
    check: 'a single delivery has what was sent, byte for byte, and what was answered',
    says: '`data.request.body` is',
  },
  {
    name: 'a subscription without its last attempts',
    on: /^GET \/admin\/webhooks\/\d+$/,
    ...without('data.recent'),
    check: 'a subscription shows how its last attempts ended',
    says: '`data.recent.succeeded` is missing',
  },
  {
    name: 'a redelivery under another id',
    delivery: otherId,
    check: 'a delivery is sent again with the same bytes and the same id',
    says: 'A redelivery has another `webhook-id`',
  },
  {
    name: 'a rotation without overlap',
    delivery: oneSignature,
    check: 'while a secret rotates, deliveries carry both signatures',
    says: 'webhook-signature is',
  },
  {
    name: 'a feed that lags behind',
    on: /^GET \/changes$/,
    ...changed('data', () => []),
    check: 'a change is in the feed once its write is answered',
    says: 'does not name the post',
  },
  {
    name: 'a removal that is an upsert',
    on: /^GET \/changes$/,
    ...changed('data.*.change', () => 'upserted'),
    check: 'a post that left public view is `removed`, without its content',
    says: 'is "upserted", and not "removed"',
  },
  {
    name: 'a broken cursor that is ignored',
    on: /^GET \/changes$/,
    ...ignoring('since'),
    check: 'a cursor that is broken, or of another endpoint, is 422',
    says: 'and not 422',
  },
  {
    name: 'a walk that starts again',
    on: /^GET \/posts$/,
    ...ignoring('after'),
    check: 'a walk by cursor meets each post once, whatever is published meanwhile',
    says: 'A walk met the posts',
  },
  {
    name: 'a page that wins over a cursor',
    on: /^GET \/posts$/,
    before: ({ query }) => void (query.has('page') && query.delete('after')),
    check: '`after` and `page` exclude each other',
    says: 'and not 422',
  },
  {
    name: 'order=oldest that is ignored',
    on: /^GET \/posts$/,
    ...ignoring('order'),
    check: '`order=oldest` lists the same posts from the oldest on',
    says: 'does not begin with the oldest',
  },
  {
    name: 'builds that are counted per address',
    on: /^GET \/posts$/,
    before: withoutToken,
    check: 'a token for builds has a limit of its own for public reads, and allows nothing else',
    says: 'The limit with the token is',
  },
]
