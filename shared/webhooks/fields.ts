// Schemas of subscriptions and deliveries that the endpoints and the stored records share.
import * as z from 'zod/mini'
import { EVENT_NAMES } from '../events/catalogue.ts'
import { EVERY_EVENT } from '../events/message.ts'
import { members, named } from '../http/members.ts'
import { Time } from '../http/time.ts'

/** Shared, since a function builds each schema when it starts. */
export const [Int, Text] = [z.int(), z.string()]
const NullableInt = z.nullable(Int)
const NullableText = z.nullable(Text)

export const EVENT_CHOICES = [...EVENT_NAMES, EVERY_EVENT] as const
export const EventChoice = z.enum(EVENT_CHOICES, 'Must be an event name or "*".')

export const AnyJson = z
  .unknown()
  .check(z.meta({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'], items: {} }))

/** How long a burst lasts, and by default. */
export const [MAX_QUIET_SECONDS, MAX_WAIT_SECONDS, DEFAULT_MAX_WAIT_SECONDS] = [900, 3_600, 900]

/** The members of a subscription wherever it is shown. */
export const SHOWN = {
  id: [Int, 'Numeric id.'],
  name: [Text, 'Name of the subscription.'],
  url: [Text, 'Where events are sent.'],
  events: [z.array(EventChoice), 'Names of the events that it gets; `*` stands for all.'],
  quiet_seconds: [
    z.optional(Int),
    'Events are collected until none came for so many seconds, and are sent as one `batch`. Only if it collects.',
  ],
  max_wait_seconds: [
    z.optional(Int),
    'A batch is sent at the latest so many seconds after its first event. Only if it collects.',
  ],
  headers: [z.optional(z.array(Text)), 'Names of the headers of its own. Only if it has some.'],
  body: [z.optional(AnyJson), 'What it gets in place of the envelope. Only if it has a body of its own.'],
  is_active: [z.boolean(), 'False while it is paused. What happens during a pause is never delivered.'],
  total_deliveries: [Int, 'Deliveries that ended, successful and failed, tests included.'],
  failed_deliveries: [
    Int,
    `Deliveries that ended with an answer other than 2xx, or without one within 5 seconds. They are sent again only on request.`,
  ],
} as const
export const Webhook = named('Webhook', members(SHOWN))
export type Webhook = z.infer<typeof Webhook>

const SecretRotation = named(
  'SecretRotation',
  members({ ends_at: [Time, 'End of the overlap. From this second on only the new secret signs.'] }),
)

/** A single subscription, also with what would cost a list too many reads. */
export const DETAIL = {
  ...SHOWN,
  secret_rotation: [
    z.nullable(SecretRotation),
    'The overlap of a rotation of the secret, in which the old and the new secret sign. Otherwise null.',
  ],
} as const
export type WebhookDetail = Webhook & { secret_rotation: z.infer<typeof SecretRotation> | null }

const RecentDeliveries = named(
  'RecentDeliveries',
  members({
    succeeded: [Int, 'How many of them succeeded.'],
    failed: [Int, 'How many of them failed. If all 20 did, the owner gets a mail, at most one a day.'],
  }),
)

/** A subscription with the state of its receiver, which a list would have to read for each. */
export const WebhookStatus = named(
  'WebhookStatus',
  members({
    ...DETAIL,
    last_success_at: [z.nullable(Time), 'When the last delivery succeeded, in UTC; null if none has.'],
    last_failure_at: [z.nullable(Time), 'When the last delivery failed, in UTC; null if none has.'],
    recent: [RecentDeliveries, 'How the last 20 attempts ended.'],
  }),
)
export type WebhookStatus = z.infer<typeof WebhookStatus>

/** How many deliveries a replay sends at a time, and the most that it may look at: above, it is refused. */
export const [REPLAY_STEP, MOST_REPLAYED] = [100, 10_000]

const TRIGGERS = ['event', 'redelivery', 'ping'] as const
export const STATUSES = ['queued', 'sending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof STATUSES)[number]
export const ERRORS = [
  'blocked_address',
  'connection',
  'dns',
  'interrupted',
  'invalid_request',
  'protocol',
  'redirect',
  'status',
  'timeout',
  'tls',
] as const
export type DeliveryErrorCode = (typeof ERRORS)[number]

export const Resource = named(
  'DeliveredResource',
  members({
    type: [
      Text,
      '`post`, `page`, `comment`, `subscriber`, `user`, `ticket`, `contact` or `webhook`.',
      'post',
    ],
    id: [Int, 'Id of the record.'],
  }),
)
export type Resource = z.infer<typeof Resource>

const DELIVERY = {
  id: [Text, 'The `webhook-id` header, a dot and the number of the attempt.'],
  event_id: [Text, 'Id of the event, the same for all subscriptions.'],
  event: [Text, 'Name of the event.'],
  occurred_at: [Time, 'When the event happened, in UTC.'],
  attempt: [Int, 'Number of the attempt: 1, and more when it is sent again.'],
  trigger: [
    z.enum(TRIGGERS),
    '`event`; `redelivery` if it was asked to be sent again; `ping` for a test of the subscription.',
  ],
  status: [
    z.enum(STATUSES),
    '`queued` until it is sent again, `sending`, `succeeded` after a 2xx answer within 5 seconds, or `failed`.',
  ],
  attempted_at: [z.nullable(Time), 'When it was sent, in UTC; null while it is queued.'],
  duration_ms: [
    NullableInt,
    'Milliseconds until the answer or the failure; null before, and after an interruption.',
  ],
  response_status: [NullableInt, 'HTTP status of the answer; null if none came.'],
  error: [
    z.nullable(z.enum(ERRORS)),
    `Why it failed; null otherwise. \`interrupted\`: the service stopped while it sent the request, which may have arrived.`,
  ],
  error_detail: [NullableText, 'The failure in one sentence for people; null otherwise.'],
  request_id: [
    Text,
    'Id of the request that caused the event: the `X-Request-Id` of its answer, and a header of the delivery.',
  ],
  resource: [z.nullable(Resource), 'The record that the event is about; null if it is about none.'],
} as const
export const Delivery = named('Delivery', members(DELIVERY))
export type Delivery = z.infer<typeof Delivery>

const Headers = z.record(Text, Text)

export const DeliveryRequest = named(
  'DeliveryRequest',
  members({
    url: [Text, 'The URL at that time.'],
    headers: [Headers, 'All headers but the signatures, those of the subscription without their values.'],
    body: [Text, 'The body, byte for byte.'],
  }),
)
export type DeliveryRequest = z.infer<typeof DeliveryRequest>

export const DeliveryResponse = named(
  'DeliveryResponse',
  members({
    headers: [Headers, 'The first headers, up to 2 kB, with names in lower case.'],
    body_start: [Text, 'The first 1,024 bytes of the body, as text that ends with a whole character.'],
  }),
)
export type DeliveryResponse = z.infer<typeof DeliveryResponse>

export const DeliveryDetail = named(
  'DeliveryDetail',
  members({
    ...DELIVERY,
    request: [z.nullable(DeliveryRequest), 'What was sent; null before that.'],
    response: [
      z.nullable(DeliveryResponse),
      'What the receiver answered; null without an answer, and for hosts at private addresses that the operator allowed.',
    ],
  }),
)
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
