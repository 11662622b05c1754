// Addresses that get no more mail, and what SES publishes about mails, in the envelope of SNS. No I/O.
import * as z from 'zod/mini'
import { foldedEmail } from '../http/email.ts'
import { beginningOf } from '../http/text.ts'

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

/** `kind` is for the log, and contains no address. */
type Notice = { kind: string; refusals: Refusal[] }

/** SNS also delivers a text that is not JSON, when SES checks whether it may publish. */
const Envelope = z.object({ Message: z.string() })

const AnyEvent = z.object({ eventType: z.string() })
const Time = z.pipe(z.string(), z.transform(Date.parse)).check(z.refine(ms => !Number.isNaN(ms)))
const Mail = z.object({ destination: z.array(z.string()) })
const Recipients = z.array(z.object({ emailAddress: z.string(), diagnosticCode: z.optional(z.string()) }))

const BounceEvent = z.object({
  mail: Mail,
  bounce: z.object({
    bounceType: z.string(),
    bounceSubType: z.string(),
    bouncedRecipients: Recipients,
    timestamp: Time,
  }),
})

const ComplaintEvent = z.object({
  mail: Mail,
  complaint: z.object({
    complainedRecipients: Recipients,
    timestamp: Time,
    complaintFeedbackType: z.optional(z.nullable(z.string())),
    complaintSubType: z.optional(z.nullable(z.string())),
  }),
})

/** The recipient's provider says that the mail was marked as spam by mistake. */
const NO_COMPLAINT = 'not-spam'

const LONGEST_DETAIL = 300

/**
 * Throws for a bounce or complaint that it cannot read. Other events have no refusals. Their members:
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export function readNotice(body: unknown): Notice {
  const { data: envelope } = Envelope.safeParse(body)
  const event = jsonIn(envelope?.Message)
  const kind = AnyEvent.safeParse(event).data?.eventType ?? 'unknown'
  if (kind === 'Bounce') return readBounce(event)
  return kind === 'Complaint' ? readComplaint(event) : { kind, refusals: [] }
}

function readBounce(event: unknown): Notice {
  const { mail, bounce } = BounceEvent.parse(event)
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce
  const kind = `Bounce ${bounceType} ${bounceSubType}`
  if (bounceType !== 'Permanent') return { kind, refusals: [] }
  const answer = bouncedRecipients[0]?.diagnosticCode
  const detail = answer === undefined ? bounceSubType : `${bounceSubType}: ${answer}`
  return { kind, refusals: refusalsOf(mail, bouncedRecipients, { reason: 'bounce', detail, timestamp }) }
}

function readComplaint(event: unknown): Notice {
  const { mail, complaint } = ComplaintEvent.parse(event)
  const { complainedRecipients, timestamp, complaintFeedbackType, complaintSubType } = complaint
  const detail = complaintFeedbackType ?? complaintSubType ?? 'unspecified'
  const kind = `Complaint ${detail}`
  if (complaintFeedbackType === NO_COMPLAINT) return { kind, refusals: [] }
  return {
    kind,
    refusals: refusalsOf(mail, complainedRecipients, { reason: 'complaint', detail, timestamp }),
  }
}

type Cause = Pick<Refusal, 'reason' | 'detail'> & { timestamp: number }

/**
 * Each mail has one recipient. SES may list another address, to which the recipient's server forwarded the
 * mail, but it is the one that the service sent to that must get no more.
 */
function refusalsOf(
  { destination }: z.infer<typeof Mail>,
  listed: z.infer<typeof Recipients>,
  { reason, detail, timestamp }: Cause,
): Refusal[] {
  const addresses = destination.length === 1 ? destination : listed.map(({ emailAddress }) => emailAddress)
  return addresses.map(address => ({
    email: foldedEmail(address.trim()),
    reason,
    detail: beginningOf(detail, LONGEST_DETAIL),
    refused_ms: timestamp,
  }))
}

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
