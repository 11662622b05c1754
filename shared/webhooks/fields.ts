// Schemas of deliveries that the endpoints and the stored records share.
import * as z from 'zod/mini'
import { named } from '../http/named.ts'
import { Time } from '../http/time.ts'

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

export const Resource = named('DeliveredResource', z.object({ type: z.string(), id: z.int() }))
export type Resource = z.infer<typeof Resource>

export const Delivery = named(
  'Delivery',
  z.object({
    id: z.string(),
    event_id: z.string(),
    event: z.string(),
    occurred_at: Time,
    attempt: z.int(),
    trigger: z.enum(TRIGGERS),
    status: z.enum(STATUSES),
    attempted_at: z.nullable(Time),
    duration_ms: z.nullable(z.int()),
    response_status: z.nullable(z.int()),
    error: z.nullable(z.enum(ERRORS)),
    error_detail: z.nullable(z.string()),
    request_id: z.string(),
    resource: z.nullable(Resource),
  }),
)
export type Delivery = z.infer<typeof Delivery>

const Headers = z.record(z.string(), z.string())

export const DeliveryRequest = named(
  'DeliveryRequest',
  z.object({ url: z.string(), headers: Headers, body: z.string() }),
)
export type DeliveryRequest = z.infer<typeof DeliveryRequest>

export const DeliveryResponse = named(
  'DeliveryResponse',
  z.object({ headers: Headers, body_start: z.string() }),
)
export type DeliveryResponse = z.infer<typeof DeliveryResponse>

export const DeliveryDetail = named(
  'DeliveryDetail',
  z.extend(Delivery, {
    request: z.nullable(DeliveryRequest),
    response: z.nullable(DeliveryResponse),
  }),
)
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
