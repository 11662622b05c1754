// The endpoints of webhook subscriptions, for admins and integrations.
import * as z from 'zod/mini'
import { EVENT_NAMES } from '../events/catalogue.ts'
import { arrayOf, unique } from '../http/array.ts'
import { EmptyData, endpoint, group, Id } from '../http/endpoint.ts'
import { CursorText, limitQuery } from '../http/list-query.ts'
import { cleanUrl, requiredLine } from '../http/text.ts'
import { TimeInput } from '../http/time.ts'
import {
  Delivery,
  DeliveryDetail,
  EventChoice,
  Int,
  STATUSES,
  Text,
  Webhook,
  WebhookDetail,
  WebhookStatus,
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

export const WebhookInput = z.object({ name: requiredLine(255), url: Url, events: Events })
export type WebhookInput = z.infer<typeof WebhookInput>

const SECRET_STAYS = 'Cannot be set. Get a new one: POST /api/v1/admin/webhooks/{id}/rotate-secret'

export const WebhookChange = z.extend(z.partial(WebhookInput), {
  is_active: z.optional(z.boolean('Must be true or false.')),
  /** Declared to be refused: ignoring it would let a caller believe that the secret has changed. */
  secret: z.optional(z.never(SECRET_STAYS)),
})
export type WebhookChange = z.infer<typeof WebhookChange>

export const MAX_OVERLAP_HOURS = 168
export const DEFAULT_OVERLAP_HOURS = 24
const WHOLE_HOURS = `Must be a whole number from 0 to ${MAX_OVERLAP_HOURS}.`

export const RotationInput = z.object({
  overlap_hours: z._default(
    z.int(WHOLE_HOURS).check(z.minimum(0, WHOLE_HOURS), z.maximum(MAX_OVERLAP_HOURS, WHOLE_HOURS)),
    DEFAULT_OVERLAP_HOURS,
  ),
})
export type RotationInput = z.infer<typeof RotationInput>

const byId = z.object({ id: Id })

/** What is sent again. A function, so that only the bundle with the endpoint builds it. */
function replayInput() {
  const eventNames = arrayOf(z.enum(EVENT_NAMES, 'Must be an event name.'), {
    not: 'Must be an array of event names.',
    empty: 'Must name at least one event.',
  })
  return z.object({
    since: TimeInput,
    until: z.optional(TimeInput),
    status: z._default(z.enum(['failed', 'all'], 'Must be "failed" or "all".'), 'failed'),
    events: z.optional(eventNames.check(unique())),
  })
}

export const adminWebhooks = group(() => ({
  listWebhooks: endpoint({
    method: 'GET',
    path: '/api/v1/admin/webhooks',
    audience: 'admin',
    summary: "List the caller's webhook subscriptions",
    message: 'Webhooks.',
    data: z.array(Webhook),
  }),
  createWebhook: endpoint({
    method: 'POST',
    path: '/api/v1/admin/webhooks',
    audience: 'admin',
    summary: 'Create a webhook subscription',
    message: 'Webhook created.',
    body: WebhookInput,
    data: z.extend(Webhook, { secret: Text }),
    status: 201,
  }),
  testWebhook: endpoint({
    method: 'POST',
    path: '/api/v1/admin/webhooks/{id}/test',
    audience: 'admin',
    summary: 'Send a test event to a webhook subscription',
    message: 'Test delivered.',
    params: byId,
    data: z.object({
      delivered: z.literal(true),
      response_status: Int,
      duration_ms: Int,
    }),
    emits: ['test.ping'],
    faults: ['DELIVERY_FAILED'],
  }),
  getWebhook: endpoint({
    method: 'GET',
    path: '/api/v1/admin/webhooks/{id}',
    audience: 'admin',
    summary: 'Get a webhook subscription',
    message: 'Webhook.',
    params: byId,
    data: WebhookStatus,
  }),
  changeWebhook: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/webhooks/{id}',
    audience: 'admin',
    summary: 'Update a webhook subscription',
    message: 'Webhook updated.',
    params: byId,
    body: WebhookChange,
    data: Webhook,
  }),
  rotateSecret: endpoint({
    method: 'POST',
    path: '/api/v1/admin/webhooks/{id}/rotate-secret',
    audience: 'admin',
    summary: 'Replace the secret of a webhook subscription',
    message: 'Secret rotated.',
    params: byId,
    body: RotationInput,
    data: z.extend(WebhookDetail, { secret: Text }),
    faults: ['CONFLICT'],
  }),
  deleteWebhook: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/webhooks/{id}',
    audience: 'admin',
    summary: 'Delete a webhook subscription permanently',
    message: 'Webhook deleted.',
    params: byId,
    data: EmptyData,
  }),
  listDeliveries: endpoint({
    method: 'GET',
    path: '/api/v1/admin/webhooks/{id}/deliveries',
    audience: 'admin',
    summary: 'List the deliveries to a webhook subscription',
    message: 'Deliveries.',
    params: byId,
    query: z.extend(limitQuery(), {
      status: z.optional(z.enum(STATUSES, 'Must be "queued", "sending", "succeeded" or "failed".')),
      event: z.optional(z.enum(EVENT_NAMES, 'Must be an event name.')),
      since: z.optional(TimeInput),
      until: z.optional(TimeInput),
      after: z.optional(CursorText),
    }),
    data: z.array(Delivery),
    hasCursor: true,
  }),
  getDelivery: endpoint({
    method: 'GET',
    path: '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}',
    audience: 'admin',
    summary: 'Get a delivery with its request and its response',
    message: 'Delivery.',
    params: z.extend(byId, { delivery_id: Text }),
    data: DeliveryDetail,
  }),
  redeliver: endpoint({
    method: 'POST',
    path: '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    audience: 'admin',
    summary: 'Send a delivery again',
    message: 'Delivery queued.',
    params: z.extend(byId, { delivery_id: Text }),
    data: Delivery,
    status: 202,
    faults: ['CONFLICT'],
  }),
  redeliverAll: endpoint({
    method: 'POST',
    path: '/api/v1/admin/webhooks/{id}/redeliver',
    audience: 'admin',
    summary: 'Send all failed deliveries of a time again',
    message: 'Deliveries queued.',
    params: byId,
    body: replayInput(),
    data: z.object({ id: Text, matched: Int }),
    status: 202,
    faults: ['CONFLICT'],
  }),
}))

export type DeliveriesQuery = z.output<typeof adminWebhooks.listDeliveries.query>
export type ReplayInput = z.output<NonNullable<typeof adminWebhooks.redeliverAll.body>>
