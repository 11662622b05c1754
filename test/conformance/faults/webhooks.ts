// Faults in subscriptions and deliveries.
import { changed, edit, type Fault, type Sent, sent } from './fault.ts'

/** The same delivery with other members. A faulty service would sign what it sends. */
function rewritten(path: string, change: (value: unknown) => unknown): Pick<Fault, 'delivery'> {
  return {
    delivery: original => {
      const json: unknown = JSON.parse(original.body.toString('utf8'))
      edit(json, path, change)
      return [{ ...original, body: Buffer.from(JSON.stringify(json)) }]
    },
  }
}

function signedBy(change: (signature: string) => string): Pick<Fault, 'delivery'> {
  return {
    delivery: ({ headers, ...rest }) => {
      const signature = change(headers.signature ?? '')
      return [{ ...rest, headers: { ...headers, signature } }]
    },
  }
}

function twice(original: Sent): Sent[] {
  return [original, original]
}

export const WEBHOOK_FAULTS: Fault[] = [
  {
    name: 'a list with secrets',
    on: /^GET \/admin\/webhooks$/,
    ...changed('data.*.secret', () => 'whsec_shown'),
    check: 'the `secret` is shown on creation and never again',
    says: '.secret`, which is "whsec_shown"',
  },
  {
    name: 'a new subscription that is paused',
    on: /^POST \/admin\/webhooks$/,
    ...changed('data.is_active', () => false),
    check: 'a new subscription is active',
    says: 'is not active',
  },
  {
    name: 'a pause that does nothing',
    on: /^PATCH \/admin\/webhooks/,
    ...sent('is_active', () => true),
    after: ({ json }) => edit(json, 'data.is_active', () => false),
    check: 'an inactive subscription receives no deliveries',
    says: 'An inactive subscription received',
  },
  {
    name: 'subscriptions to one event that receive all',
    on: /^POST \/admin\/webhooks$/,
    ...sent('events', () => ['*']),
    check: 'a subscription receives the events that it names, and `*` all of them',
    says: 'A subscription to post.deleted received',
  },
  {
    name: 'a failed test that is a success',
    on: /^POST \/admin\/webhooks\/\d+\/test$/,
    after: reply => {
      if (reply.status === 502) reply.status = 200
    },
    check: 'POST /admin/webhooks/{id}/test sends a ping, and is 502 if it fails',
    says: 'and not 502',
  },
  {
    name: 'failures that are not counted',
    on: /^GET \/admin\/webhooks$/,
    ...changed('data.*.failed_deliveries', () => 0),
    check: 'a failed delivery is not retried',
    says: 'The counters are',
  },
  {
    name: 'a signature in upper case',
    ...signedBy(signature => signature.toUpperCase()),
    check: 'the header `Signature` is the HMAC-SHA256 of the body, keyed with the secret',
    says: 'Signature is',
  },
  {
    name: 'a signature of another body',
    ...rewritten('data.title', () => 'Another title'),
    check: 'the header `Signature` is the HMAC-SHA256 of the body, keyed with the secret',
    says: 'Signature is',
  },
  {
    name: 'a signature without its header',
    delivery: ({ headers: { signature: _, ...headers }, ...rest }) => [{ ...rest, headers }],
    check: 'changes of content reach the registered address as signed POSTs',
    says: 'has no header Signature',
  },
  {
    name: 'deliveries by PUT',
    delivery: original => [{ ...original, method: 'PUT' }],
    check: 'a delivery is a POST with a JSON body',
    says: 'is a PUT',
  },
  {
    name: 'the moment of an event as seconds',
    ...rewritten('occurred_at', date => Date.parse(String(date)) / 1000),
    check: 'the envelope of a delivery has event, occurred_at and data',
    says: '`occurred_at` is',
  },
  {
    name: 'a relative URL of the post',
    ...rewritten('data.url', url => new URL(String(url)).pathname),
    check: 'the `data` of a post event has id, slug, url and posted_at',
    says: 'not a complete absolute URL',
  },
  {
    name: 'failed deliveries that are sent again',
    delivery: twice,
    check: 'a failed delivery is not retried',
    says: 'were sent 4 times',
  },
]
