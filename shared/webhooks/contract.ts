// The endpoints of webhook subscriptions, for admins and integrations.
import * as z from 'zod/mini'
import { DELIVERED_NAMES } from '../events/catalogue.ts'
import { endpoint, group } from '../http/endpoint.ts'
import { members } from '../http/members.ts'
import { AFTER_TEXT, byId, CursorText, Id, limitParameter } from '../http/parameters.ts'
import { withCommas } from '../http/text.ts'
import { TimeInput } from '../http/time.ts'
import {
  DETAIL,
  Delivery,
  DeliveryDetail,
  Int,
  MOST_REPLAYED,
  REPLAY_STEP,
  SHOWN,
  STATUSES,
  Text,
  Webhook,
  WebhookStatus,
} from './fields.ts'
import { RotationInput, replayInput, WebhookChange, WebhookInput } from './inputs.ts'

// What the examples of the document show.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const CREATED = { name: 'My site', url: 'https://www.example.com/hooks', events: ['*' as const] }
const WEBHOOK = { id: 1, ...CREATED, is_active: true, total_deliveries: 12, failed_deliveries: 1 }
const EVENT_ID = 'evt_0199a1b2c3d40123456789abcdef01234567'
const BODY =
  '{"event":"post.published","occurred_at":"2026-05-26T15:00:00+00:00","data":{"id":7,"slug":"hello-world"}}'

const SENT = {
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

const QUEUED = {
  ...SENT,
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

const SENT_DETAIL = {
  ...SENT,
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

function secretMember(key: string) {
  return [Text, `${key} of the signatures. It is shown only in this answer: store it now.`, SECRET] as const
}

const ofWebhook = byId('subscription')
const ofDelivery = members({
  id: [Id, 'Id of the subscription.'],
  delivery_id: [
    Text,
    `Id of the delivery: the \`webhook-id\` header, a dot and the number of the attempt. Without dot and number it is the
    first attempt.`,
  ],
})

export const adminWebhooks = group(
  { admin: "The caller's webhook subscriptions. Needs the ability `admin`." },
  () => ({
    listWebhooks: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks',
      summary: "List the caller's webhook subscriptions",
      description: 'The list is whole, by id.',
      message: 'Webhooks.',
      data: z.array(Webhook),
      example: { data: [WEBHOOK] },
    }),
    createWebhook: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks',
      summary: 'Create a webhook subscription',
      description: `The answer contains the secret that signs its deliveries; no other answer does. A user has at most 100
          subscriptions, then it is a 422. They get nothing while the user is banned or has no valid token with the ability \`admin\`;
          what happens during that time is never delivered.`,
      message: 'Webhook created.',
      body: WebhookInput,
      data: members({ ...SHOWN, secret: secretMember('The key') }),
      status: 201,
      example: {
        body: CREATED,
        data: { ...WEBHOOK, total_deliveries: 0, failed_deliveries: 0, secret: SECRET },
      },
    }),
    testWebhook: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks/{id}/test',
      summary: 'Send a test event to a webhook subscription',
      description: `Sends a \`test.ping\`, also to a paused subscription, and waits for the answer. A failed delivery is a 502 with the
          reason in \`message\`. Tests count in the totals of the subscription.`,
      message: 'Test delivered.',
      params: ofWebhook,
      data: members({
        delivered: [z.literal(true), 'Always true: a failed delivery is a 502.'],
        response_status: [Int, 'HTTP status that the receiver answered with.'],
        duration_ms: [Int, 'Milliseconds from the connection to the answer.'],
      }),
      emits: ['test.ping'],
      faults: ['DELIVERY_FAILED'],
      example: { params: { id: 1 }, data: { delivered: true, response_status: 204, duration_ms: 37 } },
    }),
    getWebhook: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks/{id}',
      summary: 'Get a webhook subscription',
      description: 'Without its secret, and with the state of its receiver.',
      message: 'Webhook.',
      params: ofWebhook,
      data: WebhookStatus,
      example: {
        params: { id: 1 },
        data: {
          ...WEBHOOK,
          secret_rotation: null,
          last_success_at: '2026-05-26T15:00:01+00:00',
          last_failure_at: null,
          recent: { succeeded: 12, failed: 0 },
        },
      },
    }),
    changeWebhook: endpoint({
      method: 'PATCH',
      path: '/api/v1/admin/webhooks/{id}',
      summary: 'Update a webhook subscription',
      description: 'Members that are left out keep their values.',
      message: 'Webhook updated.',
      params: ofWebhook,
      body: WebhookChange,
      data: Webhook,
      example: { params: { id: 1 }, body: { is_active: false }, data: { ...WEBHOOK, is_active: false } },
    }),
    rotateSecret: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks/{id}/rotate-secret',
      summary: 'Replace the secret of a webhook subscription',
      description: `The answer contains the new secret; no other answer does. Send an \`Idempotency-Key\`, with which a lost answer can
          be had again. During the overlap \`webhook-signature\` has two signatures, by the new secret first and by the old one, of
          which a receiver needs one; \`Signature\` is keyed with the old secret, and at \`ends_at\` changes to the new one. So give the
          receiver the new secret during the overlap; one that verifies \`Signature\` has to try both secrets. The overlap is by
          \`webhook-timestamp\`. A delivery that is on its way at the moment of the rotation, for five seconds at most, has the signature
          of the old secret alone. The first delivery or change after the overlap erases the old secret. A rotation during an overlap is
          a 409, unless its \`overlap_hours\` is 0: it ends the overlap and replaces both secrets immediately.`,
      message: 'Secret rotated.',
      params: ofWebhook,
      body: RotationInput,
      data: members({ ...DETAIL, secret: secretMember('The new key') }),
      faults: ['CONFLICT'],
      example: {
        params: { id: 1 },
        body: { overlap_hours: 24 },
        data: { ...WEBHOOK, secret_rotation: { ends_at: '2026-05-27T15:00:00+00:00' }, secret: SECRET },
      },
    }),
    deleteWebhook: endpoint({
      method: 'DELETE',
      path: '/api/v1/admin/webhooks/{id}',
      summary: 'Delete a webhook subscription permanently',
      description: 'Deliveries that have not left yet are not sent any more.',
      message: 'Webhook deleted.',
      params: ofWebhook,
      example: { params: { id: 1 } },
    }),
    listDeliveries: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks/{id}/deliveries',
      summary: 'List the deliveries to a webhook subscription',
      description: `Each attempt to deliver is an item, newest first: by the moment of its event, or by the moment when it was asked
          to be sent again. They are kept for 30 days. With \`status\` or \`event\` an answer may have fewer items than \`limit\`, even none,
          and still a \`cursor.next\`: at most 1,000 deliveries are read for one answer.`,
      message: 'Deliveries.',
      params: ofWebhook,
      query: members({
        ...limitParameter(),
        status: [
          z.optional(z.enum(STATUSES, 'Must be "queued", "sending", "succeeded" or "failed".')),
          'Only deliveries with this status.',
        ],
        event: [
          z.optional(z.enum(DELIVERED_NAMES, 'Must be an event name.')),
          'Only deliveries of this event.',
        ],
        since: [z.optional(TimeInput), 'Only deliveries from this time on.', '2026-05-26T15:00:00Z'],
        until: [
          z.optional(TimeInput),
          'Only deliveries up to this time, the second included.',
          '2026-05-27T15:00:00Z',
        ],
        after: [z.optional(CursorText), AFTER_TEXT],
      }),
      data: z.array(Delivery),
      example: { params: { id: 1 }, data: [SENT] },
    }),
    getDelivery: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}',
      summary: 'Get a delivery with its request and its response',
      description: `With what was sent and what the receiver answered. A receiver finds it by its \`webhook-id\` and
          \`webhook-attempt\` headers.`,
      message: 'Delivery.',
      params: ofDelivery,
      data: DeliveryDetail,
      example: { params: { id: 1, delivery_id: SENT.id }, data: SENT_DETAIL },
    }),
    redeliver: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver',
      summary: 'Send a delivery again',
      description: `Queues one more attempt with the same body, byte for byte, and the same \`webhook-id\`; timestamp and signatures are
          new, and \`webhook-attempt\` has its number. It is sent at most once, to the present URL, and counts in the totals. While the
          delivery is on its way, it is a 409; while the subscription is paused, a 422; without the event in the log, a 404.`,
      message: 'Delivery queued.',
      params: ofDelivery,
      data: Delivery,
      status: 202,
      faults: ['CONFLICT'],
      example: { params: { id: 1, delivery_id: SENT.id }, data: QUEUED },
    }),
    redeliverAll: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks/{id}/redeliver',
      summary: 'Send all failed deliveries of a time again',
      description: `Sends every delivery once more whose event happened in this time and whose latest attempt failed: oldest first,
          ${REPLAY_STEP} at a time, in the background. \`matched\` counts them. A pause of the subscription ends it. A second one while the
          first runs is a 409; one over more than ${withCommas(MOST_REPLAYED)} deliveries is a 422.`,
      message: 'Deliveries queued.',
      params: ofWebhook,
      body: replayInput(),
      data: members({
        id: [Text, 'Id of the replay.'],
        matched: [Int, 'How many deliveries are sent again.'],
      }),
      status: 202,
      faults: ['CONFLICT'],
      example: {
        params: { id: 1 },
        body: { since: '2026-05-26T15:00:00Z' },
        data: { id: 'replay_0199a1b2c3d40123456789abcdef01234567', matched: 12 },
      },
    }),
  }),
)
