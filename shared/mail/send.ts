// Sends a mail at most once: compose, claim, one attempt, final. Failures before the claim are retried.
import type { MailMessage } from '../events/message.ts'
import { foldedEmail } from '../http/email.ts'
import type { MetricName } from '../metrics/metrics.ts'
import { count, takeTally } from '../metrics/tally.ts'
import { required } from '../runtime/environment.ts'
import type { JobContext } from '../runtime/runtime.ts'
import { currentSettings } from '../site/store.ts'
import { claimMail, endMail, type MailEnd } from './claim.ts'
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

  const sender = environment.MAIL_SENDER
  const { outcome, reason } =
    sender === ''
      ? { outcome: 'no_sender' as const }
      : await transport(mail, {
          sender,
          configurationSet: environment.MAIL_CONFIGURATION_SET,
          access: environment,
        })
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
