// A delivery: its id, its outcomes, and the reasons for a failure. No I/O.
import * as z from 'zod/mini'
import type { EventMessage, Message } from '../events/message.ts'
import { deliveryKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import type { ReceiverAnswer } from './answer.ts'
import type { WebhookRecord } from './webhook.ts'

export const OpenDelivery = z.object({ webhook_id: z.int(), owner_id: z.int(), event_id: z.string() })
export type OpenDelivery = z.infer<typeof OpenDelivery>

/** May have been sent, so it is never sent again. */
export const INTERRUPTED: DeliveryOutcome = {
  ok: false,
  responseStatus: null,
  error: 'interrupted',
  detail: null,
  durationMs: null,
}

export type DeliveryOutcome = Omit<AttemptOutcome, 'durationMs' | 'error'> & {
  error: FailureCode | 'interrupted' | null
  durationMs: number | null
}

/** Receivers detect duplicates by this id. It has no dot, which separates the parts of a signed text. */
export function deliveryId({ event_id, webhook_id }: Pick<OpenDelivery, 'event_id' | 'webhook_id'>): string {
  return `${event_id}-${webhook_id}`
}

/** What names an attempt. Without `later` it is the first one. */
export type AttemptRef = OpenDelivery & { later?: { attempt: number; sk: string } | undefined }

export function attemptKey({ webhook_id, event_id, later }: AttemptRef): Key {
  return deliveryKey(webhook_id, later?.sk ?? event_id)
}

export function openDelivery(webhook: WebhookRecord, event: EventMessage): OpenDelivery {
  return {
    webhook_id: webhook.id,
    owner_id: webhook.owner_id,
    event_id: event.id,
  }
}

/** The message that delivers an event to these subscriptions. */
export function deliveriesMessage(entries: { id: number; owner_id: number }[], event: EventMessage): Message {
  const subscriptions = entries.map(({ id, owner_id }) => ({ id, owner_id }))
  return { queue: 'deliveries', group: String(entries[0]?.id), body: { subscriptions, event } }
}

/** Longer than any function runs: an older claim was interrupted. */
export const LEASE_MS = 60_000

export function isLeaseOver(attempted_ms: number, nowMs: number): boolean {
  return attempted_ms + LEASE_MS < nowMs
}

/** The state of a claim that a message meets. */
export type ClaimState =
  /** It has its outcome. */
  | 'ended'
  /** Another function may be sending. */
  | 'sending'
  /** The function that was sending died, and the message has to end the delivery. */
  | 'interrupted'

const StoredClaim = z.object({ status: z.string(), attempted_ms: z.int() })

export function stateOfClaim(item: Record<string, unknown>, nowMs: number): ClaimState {
  const { status, attempted_ms } = StoredClaim.parse(item)
  if (status !== 'sending') return 'ended'
  return isLeaseOver(attempted_ms, nowMs) ? 'interrupted' : 'sending'
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

/** The days on which it becomes valid and expires. */
type Certificate = { from?: string | undefined; until?: string | undefined }

export class DeliveryError extends Error {
  readonly code: FailureCode
  /** The receiver's, if it was rejected. */
  readonly certificate: Certificate

  constructor(code: FailureCode, cause?: unknown, certificate: Certificate = {}) {
    super(`The delivery failed: ${code}`, { cause })
    this.code = code
    this.certificate = certificate
  }
}

export type AttemptOutcome = {
  ok: boolean
  /** Present as well if the answer broke off after its status. */
  responseStatus: number | null
  error: FailureCode | null
  /** The failure in one sentence. */
  detail: string | null
  durationMs: number
  answer?: ReceiverAnswer | undefined
}
