// Schemas of subscriptions and deliveries that the endpoints and the stored records share.
import * as z from 'zod/mini'
import { EVENT_NAMES } from '../events/catalogue.ts'
import { EVERY_EVENT } from '../events/message.ts'
import { named } from '../http/named.ts'
import { Time } from '../http/time.ts'

/** Shared, since a function builds each schema when it starts. */
export const [Int, Text] = [z.int(), z.string()]
const NullableInt = z.nullable(Int)
export const NullableText = z.nullable(Text)

export const EVENT_CHOICES = [...EVENT_NAMES, EVERY_EVENT] as const
export const EventChoice = z.enum(EVENT_CHOICES, 'Must be an event name or "*".')

export const Webhook = named(
  'Webhook',
  z.object({
    id: Int,
    name: Text,
    url: Text,
    events: z.array(EventChoice),
    is_active: z.boolean(),
    total_deliveries: Int,
    failed_deliveries: Int,
  }),
)
export type Webhook = z.infer<typeof Webhook>

export const SecretRotation = named('SecretRotation', z.object({ ends_at: Time }))

/** A single subscription, also with what would cost a list too many reads. */
export const WebhookDetail = named(
  'WebhookDetail',
  z.extend(Webhook, { secret_rotation: z.nullable(SecretRotation) }),
)
export type WebhookDetail = z.infer<typeof WebhookDetail>

export const RecentDeliveries = named('RecentDeliveries', z.object({ succeeded: Int, failed: Int }))

/** A subscription with the state of its receiver, which a list would have to read for each. */
export const WebhookStatus = named(
  'WebhookStatus',
  z.extend(WebhookDetail, {
    last_success_at: z.nullable(Time),
    last_failure_at: z.nullable(Time),
    recent: RecentDeliveries,
  }),
)
export type WebhookStatus = z.infer<typeof WebhookStatus>

export const TRIGGERS = ['event', 'redelivery', 'ping'] as const
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

export const Resource = named('DeliveredResource', z.object({ type: Text, id: Int }))
export type Resource = z.infer<typeof Resource>

export const Delivery = named(
  'Delivery',
  z.object({
    id: Text,
    event_id: Text,
    event: Text,
    occurred_at: Time,
    attempt: Int,
    trigger: z.enum(TRIGGERS),
    status: z.enum(STATUSES),
    attempted_at: z.nullable(Time),
    duration_ms: NullableInt,
    response_status: NullableInt,
    error: z.nullable(z.enum(ERRORS)),
    error_detail: NullableText,
    request_id: Text,
    resource: z.nullable(Resource),
  }),
)
export type Delivery = z.infer<typeof Delivery>

const Headers = z.record(Text, Text)

export const DeliveryRequest = named('DeliveryRequest', z.object({ url: Text, headers: Headers, body: Text }))
export type DeliveryRequest = z.infer<typeof DeliveryRequest>

export const DeliveryResponse = named('DeliveryResponse', z.object({ headers: Headers, body_start: Text }))
export type DeliveryResponse = z.infer<typeof DeliveryResponse>

export const DeliveryDetail = named(
  'DeliveryDetail',
  z.extend(Delivery, {
    request: z.nullable(DeliveryRequest),
    response: z.nullable(DeliveryResponse),
  }),
)
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
