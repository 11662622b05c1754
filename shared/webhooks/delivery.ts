// A delivery: its id, its outcomes, and the reasons for a failure. No I/O.
import * as z from 'zod/mini'
import type { EventMessage } from '../events/message.ts'
import { OPEN_INDEX } from '../table/design.ts'
import type { WebhookRecord } from './webhook.ts'

export const OpenDelivery = z.object({ webhook_id: z.int(), owner_id: z.int(), event_id: z.string() })
export type OpenDelivery = z.infer<typeof OpenDelivery>

/** May have been sent, so it is never sent again. */
export const INTERRUPTED: DeliveryOutcome = {
  ok: false,
  responseStatus: null,
  error: 'interrupted',
  durationMs: null,
}

export type DeliveryOutcome = Omit<AttemptOutcome, 'durationMs' | 'error'> & {
  error: FailureCode | 'interrupted' | null
  durationMs: number | null
}

/** Receivers detect duplicates by this id. It has no dot, which separates the parts of a signed text. */
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

/** Longer than any function runs: an older claim was interrupted. */
export const LEASE_MS = 60_000

/** The state of a claim that a message meets. */
export type ClaimState =
  /** It has its outcome, or the sweep will end it. */
  | 'ended'
  /** Another function may be sending. */
  | 'sending'
  /** The function that was sending died, and the message has to end the delivery. */
  | 'interrupted'

const StoredClaim = z.object({
  status: z.string(),
  attempted_ms: z.int(),
  [OPEN_INDEX.pk]: z.optional(z.string()),
})

export function stateOfClaim(item: Record<string, unknown>, nowMs: number): ClaimState {
  const claim = StoredClaim.parse(item)
  if (claim.status !== 'sending' || claim[OPEN_INDEX.pk] !== undefined) return 'ended'
  return claim.attempted_ms + LEASE_MS < nowMs ? 'interrupted' : 'sending'
}

/** Why a delivery failed. Stored, and explained to the owner by a test ping. */
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
  /** Present as well if the answer broke off after its status. */
  responseStatus: number | null
  error: FailureCode | null
  durationMs: number
}
