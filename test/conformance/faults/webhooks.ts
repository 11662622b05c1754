// Faults in subscriptions and deliveries.
import { changed, edit, type Fault, type Faults, type SentRequest, sent } from './fault.ts'

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

function twice(original: SentRequest): SentRequest[] {
  return [original, original]
}

export const WEBHOOK_FAULTS: Faults = {
  '| `secret` | string | returned only in the creation response; never present in list or later responses |':
    {
      'a list with secrets': {
        on: /^GET \/admin\/webhooks$/,
        ...changed('data.*.secret', () => 'whsec_shown'),
        says: '.secret`, which is "whsec_shown"',
      },
    },
  '| `is_active` | boolean | `true` on creation; `false` pauses deliveries |': {
    'a new subscription that is paused': {
      on: /^POST \/admin\/webhooks$/,
      ...changed('data.is_active', () => false),
      says: 'is not active',
    },
  },
  'An inactive subscription receives no deliveries.': {
    'a pause that does nothing': {
      on: /^PATCH \/admin\/webhooks/,
      ...sent('is_active', () => true),
      after: ({ json }) => edit(json, 'data.is_active', () => false),
      says: 'An inactive subscription received',
    },
  },
  'The service sends webhook deliveries to subscriptions whose `events` contain the event name or `*`.': {
    'subscriptions to one event that receive all': {
      on: /^POST \/admin\/webhooks$/,
      ...sent('events', () => ['*']),
      says: 'A subscription to post.deleted received',
    },
  },
  '| POST | `/api/v1/admin/webhooks/{id}/test` | none | sends a `test.ping` event to the subscriber URL; on failure responds 502 with code `DELIVERY_FAILED` |':
    {
      'a failed test that is a success': {
        on: /^POST \/admin\/webhooks\/\d+\/test$/,
        after: reply => {
          if (reply.status === 502) reply.status = 200
        },
        says: 'and not 502',
      },
    },
  'Failed deliveries are not retried.': {
    'failures that are not counted': {
      on: /^GET \/admin\/webhooks$/,
      ...changed('data.*.failed_deliveries', () => 0),
      says: 'The counters are',
    },
    'failed deliveries that are sent again': { delivery: twice, says: 'were sent 4 times' },
  },
  "Header `Signature`: lowercase hex HMAC-SHA256 of the raw request body, keyed with the subscription's `secret`.":
    {
      'a signature in upper case': {
        ...signedBy(signature => signature.toUpperCase()),
        says: 'Signature is',
      },
      'a signature of another body': {
        ...rewritten('data.title', () => 'Another title'),
        says: 'Signature is',
      },
    },
  'The service pushes signed HTTP POST events (webhooks) to registered subscriber URLs when content or user activity changes.':
    {
      'a signature without its header': {
        delivery: ({ headers: { signature: _, ...headers }, ...rest }) => [{ ...rest, headers }],
        says: 'Signature is undefined',
      },
    },
  'Method POST to the subscription `url`, body is JSON.': {
    'deliveries by PUT': { delivery: original => [{ ...original, method: 'PUT' }], says: 'is a PUT' },
  },
  'Envelope: `event` (string), `occurred_at` (ISO 8601 timestamp), `data` (object).': {
    'the moment of an event as seconds': {
      ...rewritten('occurred_at', date => Date.parse(String(date)) / 1000),
      says: '`occurred_at` is',
    },
  },
  'For post events `data` includes `id` (integer), `slug`, `url` (public URL) and `posted_at`.': {
    'a relative URL of the post': {
      ...rewritten('data.url', url => new URL(String(url)).pathname),
      says: 'not a complete absolute URL',
    },
  },
  '0: each event is a delivery, as today.': {
    'subscriptions that show members of bursts to everybody': {
      on: /^POST \/admin\/webhooks$/,
      ...changed('data.quiet_seconds', () => 0),
      says: 'has the members',
    },
  },
}
