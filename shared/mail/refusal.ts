// The record of an address that gets no more mail, after a hard bounce or a complaint. No I/O.
import * as z from 'zod/mini'

export const REFUSAL_REASONS = ['bounce', 'complaint'] as const

export const Refusal = z.object({
  /** Folded, as in the key. */
  email: z.string(),
  reason: z.enum(REFUSAL_REASONS),
  /** What the recipient's server, or SES, answered. */
  detail: z.string(),
  /** When the mail bounced, or the complaint was made. */
  refused_ms: z.int(),
  /** When the owner of the service allowed mails again. A notice of an earlier time changes nothing. */
  allowed_ms: z.optional(z.int()),
})
export type Refusal = z.infer<typeof Refusal>

export function isInForce(refusal: Refusal): boolean {
  return refusal.allowed_ms === undefined
}
