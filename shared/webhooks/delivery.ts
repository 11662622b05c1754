// The rules of a delivery: its id, how it can end, and why it can fail. No I/O.
import * as z from 'zod/mini'
import type { EventMessage } from '../events/message.ts'
import type { WebhookRecord } from './webhook.ts'

export const OpenDelivery = z.object({ webhook_id: z.int(), owner_id: z.int(), event_id: z.string() })
export type OpenDelivery = z.infer<typeof OpenDelivery>

export type DeliveryOutcome = Omit<AttemptOutcome, 'durationMs' | 'error'> & {
  error: FailureCode | 'interrupted' | null
  durationMs: number | null
}

/** Stable for event and subscription, without a dot: receivers know doubles by it. */
export function deliveryId({ event_id, webhook_id }: OpenDelivery): string {
  return `${event_id}-${webhook_id}`
}

export function openDelivery(webhook: WebhookRecord, event: EventMessage): OpenDelivery {
  return {
    webhook_id: webhook.id,
    owner_id: webhook.owner_id,
    event_id: event.id,
  }
}

/** Why a delivery failed; kept in its record and shown to the subscriber's owner. */
export type FailureCode =
  | 'blocked_address'
  | 'connection'
  | 'dns'
  | 'invalid_request'
  | 'protocol'
  | 'redirect'
  | 'status'
  | 'timeout'
  | 'tls'

export class DeliveryError extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode, cause?: unknown) {
    super(`The delivery failed: ${code}`, { cause })
    this.code = code
  }
}

export type AttemptOutcome = {
  ok: boolean
  /** The status that came, also where the answer then broke off or never ended. */
  responseStatus: number | null
  error: FailureCode | null
  durationMs: number
}
