// Texts and examples of deliveries, for the guide to webhook subscriptions.
import { type Description, describes, type Text } from '../http/descriptions.ts'
import { Delivery, DeliveryDetail, DeliveryRequest, DeliveryResponse, Resource } from './fields.ts'

const EVENT_ID = 'evt_0199a1b2c3d40123456789abcdef01234567'
const BODY =
  '{"event":"post.published","occurred_at":"2026-05-26T15:00:00+00:00","data":{"id":7,"slug":"hello-world"}}'

export const DELIVERY = {
  id: `${EVENT_ID}-1.1`,
  event_id: EVENT_ID,
  event: 'post.published',
  occurred_at: '2026-05-26T15:00:00+00:00',
  attempt: 1,
  trigger: 'event' as const,
  status: 'failed' as const,
  attempted_at: '2026-05-26T15:00:01+00:00',
  duration_ms: 37,
  response_status: 500,
  error: 'status' as const,
  error_detail: 'www.example.com answered 500.',
  request_id: 'build-7',
  resource: { type: 'post', id: 7 },
}

export const QUEUED = {
  ...DELIVERY,
  id: `${EVENT_ID}-1.2`,
  attempt: 2,
  trigger: 'redelivery' as const,
  status: 'queued' as const,
  attempted_at: null,
  duration_ms: null,
  response_status: null,
  error: null,
  error_detail: null,
}

export const DELIVERY_DETAIL = {
  ...DELIVERY,
  request: {
    url: 'https://www.example.com/hooks',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'headless-content-service/1.0.0',
      'X-Request-Id': 'build-7',
      'webhook-id': `${EVENT_ID}-1`,
      'webhook-timestamp': '1779807601',
      Host: 'www.example.com',
      Connection: 'close',
      'Accept-Encoding': 'identity',
      'Content-Length': String(BODY.length),
    },
    body: BODY,
  },
  response: { headers: { 'content-type': 'text/plain' }, body_start: 'Internal Server Error' },
}

const SINCE: Text = ['Only deliveries from this time on.', '2026-05-26T15:00:00Z']
const UNTIL: Text = ['Only deliveries up to this time, the second included.', '2026-05-27T15:00:00Z']

export const DELIVERY_PARAMETERS = {
  delivery_id: `Id of the delivery: the \`webhook-id\` header, a dot and the number of the attempt. Without dot and number it is the
    first attempt.`,
  status: 'Only deliveries with this status.',
  event: 'Only deliveries of this event.',
  since: SINCE,
  until: UNTIL,
}

const TEXTS = {
  id: 'The `webhook-id` header, a dot and the number of the attempt.',
  event_id: 'Id of the event, the same for all subscriptions.',
  event: 'Name of the event.',
  occurred_at: 'When the event happened, in UTC.',
  attempt: 'Number of the attempt: 1, and more when it is sent again.',
  trigger: '`event`; `redelivery` if it was asked to be sent again; `ping` for a test of the subscription.',
  status:
    '`queued` until it is sent again, `sending`, `succeeded` after a 2xx answer within 5 seconds, or `failed`.',
  attempted_at: 'When it was sent, in UTC; null while it is queued.',
  duration_ms: 'Milliseconds until the answer or the failure; null before, and after an interruption.',
  response_status: 'HTTP status of the answer; null if none came.',
  error: `Why it failed; null otherwise. \`interrupted\`: the service stopped while it sent the request, which may have arrived.`,
  error_detail: 'The failure in one sentence for people; null otherwise.',
  request_id:
    'Id of the request that caused the event: the `X-Request-Id` of its answer, and a header of the delivery.',
  resource: 'The record that the event is about; null if it is about none.',
} as const

export const DELIVERY_MEMBERS: Description[] = [
  describes(Delivery, TEXTS),
  describes(DeliveryDetail, {
    ...TEXTS,
    request: 'What was sent; null before that.',
    response:
      'What the receiver answered; null without an answer, and for hosts at private addresses that the operator allowed.',
  }),
  describes(DeliveryRequest, {
    url: 'The URL at that time.',
    headers: 'All headers but the signatures.',
    body: 'The body, byte for byte.',
  }),
  describes(DeliveryResponse, {
    headers: 'The first headers, up to 2 kB, with names in lower case.',
    body_start: 'The first 1,024 bytes of the body, as text that ends with a whole character.',
  }),
  describes(Resource, {
    type: ['`post`, `page`, `comment`, `subscriber`, `user`, `ticket`, `contact` or `webhook`.', 'post'],
    id: 'Id of the record.',
  }),
]
