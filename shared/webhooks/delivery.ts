// A delivery: its event, the record of each attempt with its id and states, and how the API shows it. No I/O.
import * as z from 'zod/mini'
import { type AttemptRef, type EventMessage, type Message, timeOfEventId } from '../events/message.ts'
import { isoTime } from '../http/time.ts'
import { eventKey } from '../table/design.ts'
import {
  Delivery,
  type DeliveryDetail,
  type DeliveryRequest,
  DeliveryResponse,
  type DeliveryStatus,
  ERRORS,
  Int,
  Resource,
  Text,
} from './fields.ts'
import { withHidden } from './own-request.ts'
import { contentHeaders, deliveryId, transportHeaders } from './signed-request.ts'

/** Deliveries and their events are in the log for this long. */
const RETENTION_SECONDS = 30 * 24 * 60 * 60

/** When what is logged at this moment leaves the log, in epoch seconds. */
export function expiryAt(ms: number): number {
  return Math.ceil(ms / 1000) + RETENTION_SECONDS
}

/** An event and its first deliveries leave the log together. */
export function expiryOf(eventId: string): number {
  return expiryAt(timeOfEventId(eventId))
}

export function isLogged({ expires }: { expires: number }, nowMs: number): boolean {
  return expires * 1000 > nowMs
}

/** An event as it is sent and logged. */
export const SentEvent = z.object({
  id: Text,
  event: Text,
  occurred_at: Text,
  request_id: Text,
  resource: z.optional(Resource),
  /** Exactly what is signed and sent. */
  body: Text,
  /** When it leaves the log, with its deliveries. */
  expires: Int,
})
/** `isOwn`: the body is that of one subscription. */
export type SentEvent = z.infer<typeof SentEvent> & { isOwn?: boolean }

/** The same bytes for every subscription and attempt. */
export function sentEvent({ id, event, occurred_at, request_id, data }: EventMessage): SentEvent {
  const body = JSON.stringify({ event, occurred_at, data })
  return {
    id,
    event,
    occurred_at,
    request_id,
    expires: expiryOf(id),
    resource: resourceOf(event, data),
    body,
  }
}

/** Keeps the event for the log. It always writes the same, so it may be repeated. */
export function putEvent(event: SentEvent) {
  return { Put: { Item: { ...eventKey(event.id), ...event, schema: 1 } } }
}

const TYPES: Record<string, string> = { newsletter: 'subscriber', test: 'webhook', batch: 'webhook' }

/** The record that the event is about. Pages have events of posts as well. */
function resourceOf(event: string, { id, content_type }: EventMessage['data']): Resource | undefined {
  if (typeof id !== 'number') return undefined
  const [kind = ''] = event.split('.')
  return { type: typeof content_type === 'string' ? content_type : (TYPES[kind] ?? kind), id }
}

export function firstAttempt(webhook: { id: number; owner_id: number }, eventId: string): AttemptRef {
  return { webhook_id: webhook.id, owner_id: webhook.owner_id, event_id: eventId, attempt: 1, sk: eventId }
}

export function refOf({ webhook_id, owner_id, event_id, attempt, sk }: AttemptRecord): AttemptRef {
  return { webhook_id, owner_id, event_id, attempt, sk }
}

/** The message that sends attempts. */
export function deliveriesMessage(attempts: AttemptRef[], event?: EventMessage): Message {
  return { queue: 'deliveries', group: String(attempts[0]?.webhook_id), body: { attempts, event } }
}

/** The number of an attempt is added to the `webhook-id` header, which is the same for all of them. */
export function idOf(ref: Pick<AttemptRef, 'event_id' | 'webhook_id' | 'attempt'>): string {
  return `${deliveryId(ref)}.${ref.attempt}`
}

const ID = /^(evt_[0-9a-f]{1,64})-([1-9]\d{0,14})(?:\.([1-9]\d{0,5}))?$/

/** Without a number it is the first attempt. Undefined if it is not the id of an attempt of this webhook. */
export function parseId(id: string, webhookId: number): { event_id: string; attempt: number } | undefined {
  const [, event_id, webhook, attempt = '1'] = ID.exec(id) ?? []
  if (event_id === undefined || Number(webhook) !== webhookId) return undefined
  return { event_id, attempt: Number(attempt) }
}

type Ended = 'response_status' | 'error' | 'error_detail' | 'duration_ms' | 'response'
/** What the record of an attempt says in the end. It has a status also if the answer broke off after it. */
export type DeliveryOutcome = { status: 'succeeded' | 'failed' } & Pick<DeliveryDetail, Ended>

/** May have been sent, so it is never sent again. */
export const INTERRUPTED = {
  status: 'failed',
  response_status: null,
  error: 'interrupted',
  error_detail: null,
  duration_ms: null,
  response: null,
} as const satisfies DeliveryOutcome

const { shape } = Delivery

/** A member that is missing until the attempt ends, or without a later one. */
function orNull<Schema extends z.ZodMiniType>(schema: Schema) {
  return z._default(z.nullable(schema), null)
}

const AttemptRecord = z.object({
  sk: Text,
  webhook_id: Int,
  owner_id: Int,
  event_id: Text,
  event: Text,
  occurred_at: shape.occurred_at,
  request_id: Text,
  resource: orNull(Resource),
  attempt: Int,
  status: shape.status,
  attempted_ms: z.nullable(Int),
  /** Null until it is sent. */
  url: orNull(Text),
  /** The version of the service that sent it, which is in its `User-Agent`. */
  sender: orNull(Text),
  response_status: orNull(Int),
  /** A newer version may have stored a code that this one does not know. */
  error: orNull(Text),
  error_detail: orNull(Text),
  duration_ms: orNull(Int),
  response: orNull(DeliveryResponse),
  /** The names of the headers of the subscription. */
  headers: orNull(z.array(Text)),
  /** Only on the first attempt, if it was not that of the event. */
  body: orNull(Text),
  expires: Int,
  // Only on the first attempt, once there is a later one:
  /** The number of the latest attempt, and its status. */
  attempts: z._default(Int, 1),
  latest: orNull(shape.status),
  /** The sort keys of the later attempts, by number. */
  later: z._default(z.record(Text, Text), {}),
  /** The replay that asked for the latest one. */
  replay: orNull(Text),
})
export type AttemptRecord = z.infer<typeof AttemptRecord>

/** Longer than any function runs: an older claim was interrupted. */
export const LEASE_MS = 60_000

/** What a message finds: an attempt that ended, or one that another function may be sending, or died of. */
export type AttemptState = 'queued' | 'sending' | 'interrupted' | 'ended'

const StoredState = z.object({ status: z.string(), attempted_ms: z.nullable(z.int()) })

export function stateOf(item: object, nowMs: number): AttemptState {
  const { status, attempted_ms } = StoredState.parse(item)
  if (status === 'queued') return 'queued'
  if (status !== 'sending') return 'ended'
  return (attempted_ms ?? 0) + LEASE_MS < nowMs ? 'interrupted' : 'sending'
}

/**
 * A claim whose lease ended has failed: its function died, and the POST may have been sent. A message that
 * meets the claim stores that. None does for a test ping, whose record stays as it was claimed.
 */
export function attemptOf(item: object, nowMs: number): AttemptRecord {
  const record = AttemptRecord.parse(item)
  const isInterrupted = stateOf(record, nowMs) === 'interrupted'
  return isInterrupted ? { ...record, status: 'failed', error: INTERRUPTED.error } : record
}

/** The status of the latest attempt, given the first. */
export function latestStatus({ latest, status }: AttemptRecord): DeliveryStatus {
  return latest ?? status
}

export function hasEnded(first: AttemptRecord): boolean {
  return latestStatus(first) === 'succeeded' || latestStatus(first) === 'failed'
}

function triggerOf({ event, attempt }: AttemptRecord): Delivery['trigger'] {
  if (attempt > 1) return 'redelivery'
  return event === 'test.ping' ? 'ping' : 'event'
}

export function deliveryView(record: AttemptRecord): Delivery {
  return {
    id: idOf(record),
    event_id: record.event_id,
    event: record.event,
    occurred_at: record.occurred_at,
    attempt: record.attempt,
    trigger: triggerOf(record),
    status: record.status,
    attempted_at: record.attempted_ms === null ? null : isoTime(Math.floor(record.attempted_ms / 1000)),
    duration_ms: record.duration_ms,
    response_status: record.response_status,
    error: ERRORS.find(code => code === record.error) ?? null,
    error_detail: record.error_detail,
    request_id: record.request_id,
    resource: record.resource,
  }
}

/** `body`: what was sent; undefined if the event has left the log. */
export function deliveryDetail(attempt: AttemptRecord, body: string | undefined): DeliveryDetail {
  return {
    ...deliveryView(attempt),
    request: body === undefined ? null : requestOf(attempt, body),
    response: attempt.response,
  }
}

/** Null before it is sent. */
function requestOf(attempt: AttemptRecord, body: string): DeliveryRequest | null {
  const { url, sender, attempted_ms } = attempt
  if (url === null || sender === null || attempted_ms === null) return null
  const content = contentHeaders({ ...attempt, sender, attempted_ms })
  const headers = { ...content, ...transportHeaders(new URL(url), body) }
  return { url, headers: withHidden(headers, attempt.headers ?? []), body }
}
