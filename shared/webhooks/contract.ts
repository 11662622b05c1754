// The endpoints of webhook subscriptions, for admins and integrations.
import * as z from 'zod/mini'
import { EVENT_NAMES } from '../events/catalogue.ts'
import { arrayOf, unique } from '../http/array.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { members, optional } from '../http/members.ts'
import { AFTER_TEXT, byId, CursorText, Id, limitParameter } from '../http/parameters.ts'
import { cleanUrl, requiredLine } from '../http/text.ts'
import { TimeInput } from '../http/time.ts'
import { CREATED, QUEUED, SECRET, SENT, SENT_DETAIL, WEBHOOK } from './examples.ts'
import {
  DETAIL,
  Delivery,
  DeliveryDetail,
  EventChoice,
  Int,
  SHOWN,
  STATUSES,
  Text,
  Webhook,
  WebhookStatus,
  WINDOW,
} from './fields.ts'

/** The form alone. Whether deliveries may go to the address depends on the deployment (`unreachable`). */
const Url = cleanUrl(2048)

const MAX_EVENTS = 20

const Events = arrayOf(EventChoice, {
  not: 'Must be an array of event names.',
  empty: 'Must name at least one event.',
}).check(
  unique(),
  z.refine(events => events.length <= MAX_EVENTS, `Must be at most ${MAX_EVENTS} events.`),
  z.meta({ maxItems: MAX_EVENTS }),
)

const WRITTEN = {
  name: [requiredLine(255), 'A name of your choice: one line of 1 to 255 characters.', 'My site'],
  url: [
    Url,
    `Where events are sent: an absolute http or https URL of at most 2,048 characters without user info. It must lead to a
      public address: private and local ones are a 422 if the URL names them, and a failed delivery if its host resolves to
      them. A service that runs locally also delivers to its own machine, unless it was started with \`--strict-addresses\`. The
      URL is stored as URL parsers write it: \`https://A.example\` as \`https://a.example/\`.`,
    'https://www.example.com/hooks',
  ],
  events: [Events, '1 to 20 names of events, or `*` for all events, those of the future included.', ['*']],
} as const
export const WebhookInput = members(WRITTEN)
export type WebhookInput = z.infer<typeof WebhookInput>

const SECRET_STAYS = 'Cannot be set. Get a new one: POST /api/v1/admin/webhooks/{id}/rotate-secret'

export const WebhookChange = members({
  ...optional(WRITTEN),
  is_active: [
    z.optional(z.boolean('Must be true or false.')),
    'False pauses the subscription, true resumes it from then on.',
  ],
  /** Declared to be refused: ignoring it would let a caller believe that the secret has changed. */
  secret: [
    z.optional(z.never(SECRET_STAYS)),
    'Cannot be set, so it is a 422. `POST /admin/webhooks/{id}/rotate-secret` returns a new one.',
  ],
})
export type WebhookChange = z.infer<typeof WebhookChange>

export const MAX_OVERLAP_HOURS = 168
export const DEFAULT_OVERLAP_HOURS = 24
const WHOLE_HOURS = `Must be a whole number from 0 to ${MAX_OVERLAP_HOURS}.`

export const RotationInput = members({
  overlap_hours: [
    z._default(
      z.int(WHOLE_HOURS).check(z.minimum(0, WHOLE_HOURS), z.maximum(MAX_OVERLAP_HOURS, WHOLE_HOURS)),
      DEFAULT_OVERLAP_HOURS,
    ),
    'For how many hours the old secret signs as well: 0 to 168. With 0, for a leaked secret, it stops immediately, also during an overlap.',
    24,
  ],
})
export type RotationInput = z.infer<typeof RotationInput>

const ofWebhook = byId('subscription')
const ofDelivery = members({
  id: [Id, 'Id of the subscription.'],
  delivery_id: [
    Text,
    `Id of the delivery: the \`webhook-id\` header, a dot and the number of the attempt. Without dot and number it is the
    first attempt.`,
  ],
})

/** What is sent again. A function, so that only the bundle with the endpoint builds it. */
function replayInput() {
  const eventNames = arrayOf(z.enum(EVENT_NAMES, 'Must be an event name.'), {
    not: 'Must be an array of event names.',
    empty: 'Must name at least one event.',
  })
  return members({
    since: [TimeInput, 'From this time on, about the moments of the events.', '2026-05-26T15:00:00Z'],
    until: [
      z.optional(TimeInput),
      'Up to this time, the second included; until now by default.',
      '2026-05-26T16:00:00Z',
    ],
    status: [
      z._default(z.enum(['failed', 'all'], 'Must be "failed" or "all".'), 'failed'),
      '`failed` by default: only deliveries whose latest attempt failed. `all`: all that ended.',
      'all',
    ],
    events: [
      z.optional(eventNames.check(unique())),
      'Only these events; by default all.',
      ['post.published'],
    ],
  })
}

export const adminWebhooks = group(
  { admin: "The caller's webhook subscriptions. Needs the ability `admin`." },
  () => ({
    listWebhooks: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks',
      audience: 'admin',
      summary: "List the caller's webhook subscriptions",
      description: 'The list is whole, by id.',
      message: 'Webhooks.',
      data: z.array(Webhook),
      example: { data: [WEBHOOK] },
    }),
    createWebhook: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks',
      audience: 'admin',
      summary: 'Create a webhook subscription',
      description: `The answer contains the secret that signs its deliveries; no other answer does. A user has at most 100
          subscriptions, then it is a 422. They get nothing while the user is banned or has no valid token with the ability \`admin\`;
          what happens during that time is never delivered.`,
      message: 'Webhook created.',
      body: WebhookInput,
      data: members({
        ...SHOWN,
        secret: [Text, 'The key of the signatures. It is shown only in this answer: store it now.', SECRET],
      }),
      status: 201,
      example: {
        body: CREATED,
        data: {
          ...WEBHOOK,
          total_deliveries: 0,
          failed_deliveries: 0,
          secret: SECRET,
        },
      },
    }),
    testWebhook: endpoint({
      method: 'POST',
      path: '/api/v1/admin/webhooks/{id}/test',
      audience: 'admin',
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
      audience: 'admin',
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
      audience: 'admin',
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
      audience: 'admin',
      summary: 'Replace the secret of a webhook subscription',
      description: `The answer contains the new secret; no other answer does. Send an \`Idempotency-Key\`, with which a lost answer can
          be had again. During the overlap \`webhook-signature\` has two signatures, by the new secret first and by the old one, of
          which a receiver needs one; \`Signature\` is keyed with the old secret, and at \`ends_at\` changes to the new one. So give the
          receiver the new secret during the overlap; one that verifies \`Signature\` has to try both secrets. The overlap is by
          \`webhook-timestamp\`. The answer comes when no request is on its way that the old secret alone has signed: usually after a second, after
          seven at most. After the overlap the old secret is erased. A rotation during an overlap is a 409, unless its
          \`overlap_hours\` is 0: it ends the overlap and replaces both secrets immediately.`,
      message: 'Secret rotated.',
      params: ofWebhook,
      body: RotationInput,
      data: members({
        ...DETAIL,
        secret: [
          Text,
          'The new key of the signatures. It is shown only in this answer: store it now.',
          SECRET,
        ],
      }),
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
      audience: 'admin',
      summary: 'Delete a webhook subscription permanently',
      description: 'Deliveries that have not left yet are not sent any more.',
      message: 'Webhook deleted.',
      params: ofWebhook,
      data: EmptyData,
      example: { params: { id: 1 } },
    }),
    listDeliveries: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks/{id}/deliveries',
      audience: 'admin',
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
        event: [z.optional(z.enum(EVENT_NAMES, 'Must be an event name.')), 'Only deliveries of this event.'],
        since: [z.optional(TimeInput), 'Only deliveries from this time on.', '2026-05-26T15:00:00Z'],
        until: [
          z.optional(TimeInput),
          'Only deliveries up to this time, the second included.',
          '2026-05-27T15:00:00Z',
        ],
        after: [z.optional(CursorText), AFTER_TEXT],
      }),
      data: z.array(Delivery),
      hasCursor: true,
      example: { params: { id: 1 }, data: [SENT] },
    }),
    getDelivery: endpoint({
      method: 'GET',
      path: '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}',
      audience: 'admin',
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
      audience: 'admin',
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
      audience: 'admin',
      summary: 'Send all failed deliveries of a time again',
      description: `Sends every delivery once more whose event happened in this time and whose latest attempt failed: oldest first, at
          most ${WINDOW} at a time and ${WINDOW} a second together with all others of the service, in the background. \`matched\` counts them. A pause of the subscription ends it. A second one while the first
          runs is a 409; one over more than 10,000 deliveries is a 422.`,
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

export type DeliveriesQuery = z.output<typeof adminWebhooks.listDeliveries.query>
export type ReplayInput = z.output<NonNullable<typeof adminWebhooks.redeliverAll.body>>
