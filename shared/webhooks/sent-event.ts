// An event as deliveries send and log it. No I/O.
import type { EventMessage } from '../events/message.ts'
import { bodyOf } from './event-body.ts'
import type { Resource } from './fields.ts'

/** Deliveries and their events are kept for this long. */
const RETENTION_SECONDS = 30 * 24 * 60 * 60

/** A delivery that is claimed later after its event was kept extends it. */
const USUAL_WAIT_SECONDS = 60

/** When an attempt leaves the log that is made now. */
export function attemptExpires(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + RETENTION_SECONDS
}

/** When an event leaves the log that is kept now: with the last of its deliveries. */
export function eventExpires(nowMs: number): number {
  return attemptExpires(nowMs) + USUAL_WAIT_SECONDS
}

export function isLogged({ expires }: { expires: number }, nowMs: number): boolean {
  return expires * 1000 > nowMs
}

/** An event as it is sent and logged. */
export type LoggedEvent = Pick<
  EventMessage,
  'id' | 'event' | 'occurred_at' | 'request_id' | 'gateway_request_id'
> & { resource?: Resource | undefined }

/** `expires`: when the event leaves the log, or earlier. */
export type SentEvent = LoggedEvent & { body: Uint8Array; expires: number }

export function sentEvent(message: EventMessage): SentEvent {
  const expires = eventExpires(message.happened_ms)
  return { ...message, resource: resourceOf(message), body: bodyOf(message), expires }
}

const TYPES: Record<string, string> = { newsletter: 'subscriber', test: 'webhook' }

/** The record that the event is about. Pages have events of posts as well. */
export function resourceOf({ event, data }: Pick<EventMessage, 'event' | 'data'>): Resource | undefined {
  const { id, content_type } = data
  if (typeof id !== 'number') return undefined
  const kind = event.slice(0, event.indexOf('.'))
  return { type: typeof content_type === 'string' ? content_type : (TYPES[kind] ?? kind), id }
}
