// A subscription: its record, which events it gets, what a change does, and how the API shows it. No I/O.
import * as z from 'zod/mini'
import { happenedSince } from '../accounts/user.ts'
import { BATCH_EVENT } from '../events/catalogue.ts'
import { EVERY_EVENT, type EventMessage } from '../events/message.ts'
import { type Fields, invalid } from '../http/errors.ts'
import { knownOf } from '../http/members.ts'
import { isoTime } from '../http/time.ts'
import { type AddressPolicy, isBlockedHost } from './address.ts'
import {
  DEFAULT_MAX_WAIT_SECONDS,
  EVENT_CHOICES,
  Int,
  Text,
  Webhook,
  type WebhookDetail,
  type WebhookStatus,
} from './fields.ts'
import { type WebhookChange, WebhookInput } from './inputs.ts'
import { rotationEnd, SEALED } from './secret.ts'

/**
 * What deliveries write into the record of their subscription, in the transaction of their outcome. A change
 * of the subscription leaves it as it is.
 */
const COUNTS = {
  total: z._default(Int, 0),
  failed: z._default(Int, 0),
  /** Failures since the last success. */
  failing: z._default(Int, 0),
  last_success_ms: z.optional(Int),
  last_failure_ms: z.optional(Int),
  /** When its owner was last warned. */
  warned_ms: z._default(Int, 0),
}
const NO_DELIVERIES = { total: 0, failed: 0, failing: 0, warned_ms: 0 }

/** `revision` is increased by each change; the condition of a write. */
export const WebhookRecord = z.extend(
  z.omit(Webhook, { total_deliveries: true, failed_deliveries: true, body: true }),
  {
    owner_id: Int,
    /** A newer version may have stored names of events that this one does not know. */
    events: z.array(Text),
    /** When it was created or last resumed. It gets no earlier events. */
    active_since_ms: Int,
    ...SEALED,
    ...COUNTS,
    /** The body as JSON, whose members keep their order. */
    template: z.optional(Text),
    created_at: Int,
    revision: Int,
    schema: z.int(),
  },
)
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** The small copy of a subscription that fan-out reads. */
export const FanOutEntry = z.pick(WebhookRecord, {
  id: true,
  owner_id: true,
  events: true,
  is_active: true,
  active_since_ms: true,
})
export type FanOutEntry = z.infer<typeof FanOutEntry>

/** Every subscription gets its batches: they have only events that it names. */
export function subscribesTo({ events }: Pick<FanOutEntry, 'events'>, eventName: string): boolean {
  return eventName === BATCH_EVENT || events.some(chosen => chosen === EVERY_EVENT || chosen === eventName)
}

/** The events that wanted.ts counts for this subscription: none while it is paused. */
export function wantedBy({ is_active, events }: Pick<FanOutEntry, 'is_active' | 'events'>): string[] {
  return is_active ? events : []
}

/** A subscription gets no event from before its creation or from a pause. */
export function shouldDeliver(
  entry: FanOutEntry,
  { event, happened_ms }: Pick<EventMessage, 'event' | 'happened_ms'>,
  nowMs: number,
): boolean {
  const isNamed = entry.is_active && subscribesTo(entry, event)
  return isNamed && happenedSince(entry.active_since_ms, happened_ms, nowMs)
}

type NewWebhook = Pick<WebhookRecord, 'id' | 'owner_id' | 'sealed_secret' | 'headers' | 'sealed_headers'>

/** Throws VALIDATION_ERROR like a change. */
export function newWebhook(
  given: NewWebhook,
  input: Omit<WebhookInput, 'headers'>,
  nowMs: number,
): WebhookRecord {
  const { name, url, events } = input
  const since = { active_since_ms: nowMs, created_at: Math.floor(nowMs / 1000) }
  const created = { ...given, name, url, events, is_active: true, ...since, ...NO_DELIVERIES }
  return changedWebhook({ ...created, revision: 1, schema: 1 }, input, nowMs)
}

/** Throws VALIDATION_ERROR if a burst would have to be sent before it is quiet. */
export function changedWebhook(
  webhook: WebhookRecord,
  { name, url, events, quiet_seconds, max_wait_seconds, body, is_active }: WebhookChange,
  nowMs: number,
): WebhookRecord {
  // One that has never collected stays without: `collect` reads and writes nothing for it.
  const mayCollect = Boolean(quiet_seconds) || webhook.quiet_seconds !== undefined
  const changed = {
    ...webhook,
    name: name ?? webhook.name,
    url: url ?? webhook.url,
    events: events ?? webhook.events,
    quiet_seconds: mayCollect ? (quiet_seconds ?? webhook.quiet_seconds) : undefined,
    max_wait_seconds: max_wait_seconds ?? webhook.max_wait_seconds,
    template: templateOf(body, webhook.template),
    is_active: is_active ?? webhook.is_active,
    active_since_ms: is_active && !webhook.is_active ? nowMs : webhook.active_since_ms,
  }
  const faults = checkTimes(changed)
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return changed
}

/** Null removes it. */
function templateOf(body: unknown, before?: string): string | undefined {
  if (body === undefined) return before
  return body === null ? undefined : JSON.stringify(body)
}

const Times = z.pick(WebhookInput, { quiet_seconds: true, max_wait_seconds: true })

/** The faults of a body or a record that has both times. Ignores invalid times. */
export function checkTimes(times: object): Fields {
  const { quiet_seconds = 0, max_wait_seconds = DEFAULT_MAX_WAIT_SECONDS } = Times.safeParse(times).data ?? {}
  if (max_wait_seconds >= quiet_seconds) return {}
  return { max_wait_seconds: [`Must be at least quiet_seconds, which is ${quiet_seconds}.`] }
}

const WithUrl = z.pick(WebhookInput, { url: true })

/** Returns the fault of a URL that no delivery could reach, without a name lookup. Ignores invalid URLs. */
export function checkUrl(body: object, policy: AddressPolicy): Fields {
  const { data } = WithUrl.safeParse(body)
  const isRefused = data !== undefined && isBlockedHost(new URL(data.url), policy)
  return isRefused ? { url: ['Must not point to a private or local address.'] } : {}
}

export const MAX_WEBHOOKS = 100

/** Without the secret, which is shown only when it is new, and without members that it does not use. */
export function webhookView(webhook: WebhookRecord): Webhook {
  const { id, name, url, events, is_active, quiet_seconds, max_wait_seconds, headers, template } = webhook
  return {
    id,
    name,
    url,
    events: knownOf(EVENT_CHOICES, events),
    ...(quiet_seconds && { quiet_seconds, max_wait_seconds: max_wait_seconds ?? DEFAULT_MAX_WAIT_SECONDS }),
    ...(headers && { headers }),
    ...(template !== undefined && { body: JSON.parse(template) }),
    is_active,
    total_deliveries: webhook.total,
    failed_deliveries: webhook.failed,
  }
}

/** What only an answer about a single subscription shows. */
export function webhookDetail(webhook: WebhookRecord, nowSeconds: number): WebhookDetail {
  const endsAt = rotationEnd(webhook, nowSeconds)
  return {
    ...webhookView(webhook),
    secret_rotation: endsAt === undefined ? null : { ends_at: isoTime(endsAt) },
  }
}

/** `recent`: the last attempts that ended. */
export function webhookStatus(
  webhook: WebhookRecord,
  recent: { status: string }[],
  nowSeconds: number,
): WebhookStatus {
  const succeeded = recent.filter(({ status }) => status === 'succeeded').length
  return {
    ...webhookDetail(webhook, nowSeconds),
    last_success_at: timeOf(webhook.last_success_ms),
    last_failure_at: timeOf(webhook.last_failure_ms),
    recent: { succeeded, failed: recent.length - succeeded },
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(Math.floor(ms / 1000))
}
