// Describes the events of the catalogue as webhooks: the request of a delivery, and the answers to it.
import { BATCH, BATCH_EVENT, EVENT_NAMES, EVENTS } from '../events/catalogue.ts'
import type { Json, Schemas } from './schemas.ts'

function header(name: string, description: string, schema: Json = {}): Json {
  return {
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', ...schema },
  }
}

/** Our own signature, and the headers of Standard Webhooks. */
const HEADERS: Json[] = [
  header(
    'Signature',
    `HMAC-SHA256 of the raw body in lower-case hex, keyed with the secret as it was shown. Compute it over the bytes as
    they came, and compare in constant time. While a rotation of the secret overlaps, the key is the old secret.`,
    { pattern: '^[0-9a-f]{64}$' },
  ),
  header(
    'webhook-id',
    'Id of the delivery (Standard Webhooks): the same for the same event and subscription. Use it to drop duplicates.',
  ),
  header('webhook-timestamp', 'When it was sent, in epoch seconds (Standard Webhooks).', {
    pattern: '^\\d+$',
  }),
  header(
    'webhook-signature',
    `\`v1,\` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots (Standard Webhooks). The key is the 32
    bytes that the secret encodes in base64 after \`whsec_\`. While a rotation of the secret overlaps there are two, separated by
    a space: by the new secret, then by the old one. One that matches is enough.`,
  ),
  header('X-Request-Id', 'The id of the request that caused the event.'),
  {
    ...header('webhook-attempt', 'Number of the attempt, from 2. Missing for the first one.', {
      pattern: '^\\d+$',
    }),
    required: false,
  },
]

type Event = typeof BATCH | (typeof EVENTS)[keyof typeof EVENTS]

function webhookOf(name: string, { when, data, sample }: Event, schemas: Schemas): Json {
  return {
    post: {
      operationId: name.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ['events'],
      summary: when,
      security: [],
      parameters: HEADERS,
      requestBody: {
        description: 'The event, as JSON.',
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['event', 'occurred_at', 'data'],
              properties: {
                event: { type: 'string', const: name, description: 'Name of the event.' },
                occurred_at: {
                  type: 'string',
                  format: 'date-time',
                  description: 'When it happened, in UTC. Deliveries keep no order, so compare this.',
                },
                data: { ...schemas.of(data, 'data'), description: 'What happened to which record.' },
              },
            },
            example: { event: name, occurred_at: '2026-05-26T15:00:00+00:00', data: sample },
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered. It counts when it comes within 5 seconds.' },
        default: { description: 'The delivery counts as failed. It is sent again only on request.' },
      },
    },
  }
}

export function webhooksOf(schemas: Schemas): Json {
  const all = [...EVENT_NAMES.map(name => [name, EVENTS[name]] as const), [BATCH_EVENT, BATCH] as const]
  return Object.fromEntries(all.map(([name, event]) => [name, webhookOf(name, event, schemas)]))
}
