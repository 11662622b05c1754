// Sends a mail at most once: compose, claim, one attempt, final. Failures before the claim are retried.
import * as z from 'zod/mini'
import type { MailMessage } from '../events/message.ts'
import { scaled } from '../http/audience.ts'
import { foldedEmail } from '../http/email.ts'
import { clientKey, consume, type LimitResult, planRequest } from '../limits/limiter.ts'
import type { MetricName } from '../metrics/metrics.ts'
import { count, takeTally } from '../metrics/tally.ts'
import { required } from '../runtime/environment.ts'
import type { JobContext } from '../runtime/runtime.ts'
import { currentSettings } from '../site/store.ts'
import { CONFLICT, isNew } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { isRunning } from '../table/concurrency.ts'
import { mailKey } from '../table/design.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import { type Composers, compose, type MailContext, oneLine } from './mail.ts'
import { findRefusal } from './refusals.ts'
import type { MailTransport } from './transport.ts'

/** Throws when the message must be delivered again. The log contains no address. */
export function sendMail(transport: MailTransport, composers: Composers) {
  return async (message: MailMessage, job: JobContext): Promise<void> => {
    const result = await attempt(transport, composers, message, job)
    const metric = METRIC_OF[result.status]
    if (metric) count(metric)
    const level = EXPECTED_STATUSES.has(result.status) ? 'info' : 'warn'
    // A run has one mail, so this is its line with metrics.
    job.log(level, 'mail', { mail_id: message.id, kind: message.kind, ...result }, takeTally())
    if (result.status !== 'over_ceiling') return
    throw new Error(
      `The mail ${message.id} exceeds the hourly limit of all ${message.kind} mails. It is tried again later.`,
    )
  }
}

const EXPECTED_STATUSES = new Set<MailResult['status']>(['sent', 'dropped', 'nothing_to_send', 'refused'])

const METRIC_OF: Partial<Record<MailResult['status'], MetricName>> = {
  sent: 'MailsSent',
  rejected: 'MailsFailed',
  unknown: 'MailsFailed',
  no_sender: 'MailsFailed',
  limited: 'MailsHeld',
  over_ceiling: 'MailsHeld',
  refused: 'MailsHeld',
}

type MailResult = {
  status: MailEnd | 'dropped' | 'limited' | 'nothing_to_send' | 'over_ceiling' | 'refused'
  reason?: string | undefined
}

async function attempt(
  transport: MailTransport,
  composers: Composers,
  message: MailMessage,
  job: JobContext,
): Promise<MailResult> {
  const { table, environment, nowMs } = job
  const context = await openMailContext(job)
  const mail = await compose(composers, message.kind, message, context)
  if (!mail) return { status: 'nothing_to_send' }
  const refusal = await findRefusal(table, mail.to)
  if (refusal) return { status: 'refused', reason: refusal.reason }
  const key = required(environment, 'CLIENT_KEY')
  const claimContext = { table, key, nowMs, scale: environment.LIMIT_SCALE }
  const claim = await claimMail(claimContext, message, foldedEmail(mail.to))
  // The repeated message finds the mail either sent or interrupted.
  if (claim === 'open') {
    throw new Error(`Another function is sending the mail ${message.id}. The message is checked again later.`)
  }
  if (claim === 'interrupted') return { status: 'unknown', reason: claim }
  if (claim === 'ended') return { status: 'dropped' }
  if (claim === 'limited' || claim === 'over_ceiling') return { status: claim }

  const { outcome, reason } = await transport(mail, environment)
  if (outcome === 'not_taken') {
    await endMail(table, message.id, 'released', nowMs)
    throw new Error(`SES did not accept the mail ${message.id} (${reason}). It is tried again.`)
  }
  await endMail(table, message.id, outcome, nowMs)
  return { status: outcome, reason }
}

async function openMailContext({ table, work, environment, nowMs }: JobContext): Promise<MailContext> {
  const [siteUrl, settings] = await Promise.all([work.siteUrl(), currentSettings(table, nowMs)])
  return {
    table,
    key: required(environment, 'PRIVATE_KEY'),
    nowSeconds: work.nowSeconds,
    siteUrl,
    siteName: oneLine(settings['general.site_name'] ?? '') || new URL(siteUrl).host,
  }
}

// The state of a mail: claimed before its one attempt, final after it. The address is never stored.

/** Mails of a kind to one mailbox in any hour: anyone may request mails to any address. */
const MAX_PER_HOUR = 3
const HOUR_MS = 60 * 60 * 1000
/**
 * All mails of a kind in an hour. 24 times their sum is the first daily quota of SES in production. One limit
 * per kind, so that newsletter mails cannot use up the mails that users need to log in.
 */
const MAX_PER_KIND: Record<MailMessage['kind'], number> = {
  'confirm-newsletter': 1_000,
  'verify-email': 500,
  'reset-password': 500,
  'webhook-failing': 500,
}
const RETENTION_SECONDS = 30 * 24 * 60 * 60
/** Longer than the function runs and shorter than a message is hidden: an older claim was interrupted. */
const LEASE_MS = 60_000

/** How an attempt ended. An `unknown` mail may have been sent, so it is never sent again. */
type MailEnd = 'sent' | 'no_sender' | 'rejected' | 'unknown'

type Status = z.output<typeof MailRecord>['status']
const MailRecord = z.object({
  status: z.enum(['sending', 'released', 'sent', 'no_sender', 'rejected', 'unknown']),
  /** When the status last changed. */
  changed_ms: z.number(),
})

type ClaimContext = {
  table: Table
  /** The key of the HMAC of the address. */
  key: string
  nowMs: number
  /** Factor of the limit. */
  scale: number
}

/** `name+anything@host` counts as `name@host`, since both reach one mailbox. */
function mailboxOf(address: string): string {
  return address.replace(/^([^+]+)\+.*(?=@)/, '$1')
}

/** An earlier message for the same mail is `open` while it may be sending, then `ended` or `interrupted`. */
type Claim = 'claimed' | 'limited' | 'over_ceiling' | 'open' | 'ended' | 'interrupted'

/**
 * Counts and claims a mail in one transaction, so that a repeated message counts once. `limited` is the limit
 * of the mailbox, `over_ceiling` that of all mails. A mail whose function died becomes `unknown` here.
 */
export function claimMail(
  { table, key, nowMs, scale }: ClaimContext,
  { id, kind }: MailMessage,
  foldedAddress: string,
): Promise<Claim> {
  let counting: Promise<LimitResult> | undefined
  return retryOnConflict(async () => {
    const record = await table.find(mailKey(id), MailRecord)
    const change = (before: Status, after: Status) =>
      table.transact([{ onConditionFailed: CONFLICT, Update: changeStatus(id, before, after, nowMs) }])
    if (record?.status === 'released') {
      await change('released', 'sending')
      return 'claimed'
    }
    if (record?.status === 'sending') {
      if (isRunning(record.changed_ms, LEASE_MS, nowMs)) return 'open'
      await change('sending', 'unknown')
      return 'interrupted'
    }
    if (record) return 'ended'
    const client = clientKey(mailboxOf(foldedAddress), key)
    const mailbox = { scope: `mail-${kind}`, client, max: scaled(MAX_PER_HOUR, scale), windowMs: HOUR_MS }
    const request = await planRequest(table, mailbox, nowMs)
    if (!request.isAllowed) return 'limited'
    const max = scaled(MAX_PER_KIND[kind], scale)
    counting ??= consume(table, { scope: `mail-all-${kind}`, client: 'all', max, windowMs: HOUR_MS }, nowMs)
    if (!(await counting).isAllowed) return 'over_ceiling'
    const expires = Math.ceil(nowMs / 1000) + RETENTION_SECONDS
    const Item = { ...mailKey(id), kind, status: 'sending', changed_ms: nowMs, expires, schema: 1 }
    await table.transact([request.action, { onConditionFailed: CONFLICT, Put: { Item, ...isNew } }])
    return 'claimed'
  })
}

/** `released`: SES did not accept it. The next attempt claims it again without counting it again. */
export function endMail(
  table: Table,
  id: string,
  ending: MailEnd | 'released',
  nowMs: number,
): Promise<void> {
  return table.transact([{ Update: changeStatus(id, 'sending', ending, nowMs) }])
}

function changeStatus(id: string, before: Status, after: Status, nowMs: number) {
  return {
    Key: mailKey(id),
    UpdateExpression: 'SET #status = :after, changed_ms = :now',
    ConditionExpression: '#status = :before',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':before': before, ':after': after, ':now': nowMs },
  }
}
