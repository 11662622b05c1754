// The record of an attempt to deliver, as the log reads it, and its id. No I/O.
import * as z from 'zod/mini'
import { INTERRUPTED, isLeaseOver } from './delivery.ts'
import { Delivery, NullableText, Text } from './fields.ts'

/** Members that are missing until the attempt ends, or without a later one. */
const MISSING = {
  attempt: 1,
  resource: null,
  url: null,
  sender: null,
  response_status: null,
  error: null,
  error_detail: null,
  duration_ms: null,
  answer: null,
  has_answer: false,
  attempts: 1,
  latest: null,
  later: {},
}

const { shape } = Delivery

/** Made of the members of the API, since a function builds each schema when it starts. */
const AttemptRecord = z.object({
  sk: shape.event_id,
  webhook_id: shape.attempt,
  owner_id: shape.attempt,
  event_id: shape.event_id,
  event: shape.event,
  occurred_at: shape.occurred_at,
  request_id: shape.request_id,
  resource: shape.resource,
  attempt: shape.attempt,
  status: shape.status,
  attempted_ms: shape.duration_ms,
  /** Null until it is sent. */
  url: NullableText,
  /** The version of the service that sent it, which is in its `User-Agent`. */
  sender: NullableText,
  response_status: shape.response_status,
  /** A newer version may have stored a code that this one does not know. */
  error: NullableText,
  error_detail: shape.error_detail,
  duration_ms: shape.duration_ms,
  /** The receiver's answer, packed. */
  answer: z.nullable(z.instanceof(Uint8Array)),
  /** The rest of the answer is in an item of its own. */
  has_answer: z.boolean(),
  expires: shape.attempt,
  // Only on the first attempt, once there is a later one:
  /** The number of the latest attempt, and its status. */
  attempts: shape.attempt,
  latest: z.nullable(shape.status),
  /** The sort keys of the later attempts, by number. */
  later: z.record(Text, Text),
})
export type AttemptRecord = z.infer<typeof AttemptRecord>

/**
 * A claim whose lease ended has failed, since its function died: the POST may have been sent. A message stores
 * that when it meets the claim. No message does for a test ping, so its record stays as it was claimed.
 */
export function attemptOf(item: object, nowMs: number): AttemptRecord {
  const record = AttemptRecord.parse({ ...MISSING, ...item })
  const { status, attempted_ms } = record
  const isInterrupted = status === 'sending' && attempted_ms !== null && isLeaseOver(attempted_ms, nowMs)
  return isInterrupted ? { ...record, status: 'failed', error: INTERRUPTED.error } : record
}

export function triggerOf({ event, attempt }: AttemptRecord): Delivery['trigger'] {
  if (attempt > 1) return 'redelivery'
  return event === 'test.ping' ? 'ping' : 'event'
}

/** The number of an attempt is added to the `webhook-id` header, which is the same for all of them. */
export function idOf({ event_id, webhook_id, attempt }: AttemptRecord): string {
  return `${event_id}-${webhook_id}.${attempt}`
}

const ID = /^(evt_[0-9a-f]{1,64})-([1-9]\d{0,14})(?:\.([1-9]\d{0,5}))?$/

/** Without a number it is the first attempt. Undefined if it is not the id of an attempt of this webhook. */
export function parseId(id: string, webhookId: number): { event_id: string; attempt: number } | undefined {
  const [, event_id, webhook, attempt = '1'] = ID.exec(id) ?? []
  if (event_id === undefined || Number(webhook) !== webhookId) return undefined
  return { event_id, attempt: Number(attempt) }
}
