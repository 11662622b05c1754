// Every event of the catalogue as a webhook of the document: what a subscriber is sent, and what it should answer.
import { EVENT_NAMES, EVENTS, type EventName } from '../events/catalogue.ts'
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

/** The contract's own signature, and those of Standard Webhooks. */
const HEADERS: Json[] = [
  header(
    'Signature',
    'HMAC-SHA256 of the raw body in lower-case hex, keyed with the secret as it was shown.',
    {
      pattern: '^[0-9a-f]{64}$',
    },
  ),
  header('webhook-id', 'Stable for the event and the subscription (Standard Webhooks).'),
  header('webhook-timestamp', 'When it was sent, in epoch seconds (Standard Webhooks).', {
    pattern: '^\\d+$',
  }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots, keyed with the 32 bytes of the secret (Standard Webhooks).',
  ),
  header('X-Request-Id', 'The id of the request that caused the event.'),
]

function webhookOf(name: EventName, schemas: Schemas): Json {
  const { when, data, sample } = EVENTS[name]
  return {
    post: {
      operationId: name.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ['events'],
      summary: when,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['event', 'occurred_at', 'data'],
              properties: {
                event: { type: 'string', const: name },
                occurred_at: { type: 'string', format: 'date-time' },
                data: schemas.of(data, 'data'),
              },
            },
            example: { event: name, occurred_at: '2026-05-26T15:00:00+00:00', data: sample },
          },
        },
      },
      responses: {
        '2XX': { description: 'Taken. It counts when it comes within 5 seconds.' },
        default: { description: 'Counted as failed, and not sent again.' },
      },
    },
  }
}

export function webhooksOf(schemas: Schemas): Json {
  return Object.fromEntries(EVENT_NAMES.map(name => [name, webhookOf(name, schemas)]))
}
