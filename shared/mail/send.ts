// A mail, at most once: compose, claim, one attempt, final. Whatever fails before the claim may be tried again.
import { sameCase } from '../accounts/user.ts'
import type { MailMessage } from '../events/message.ts'
import { required } from '../lambda/environment.ts'
import type { Job } from '../lambda/job.ts'
import { currentSettings } from '../site/store.ts'
import { Refused } from '../table/action.ts'
import { claimMail, type Ending, earlierClaim, endMail, releaseMail } from './claim.ts'
import { compose, type Desk } from './compose.ts'
import { oneLine } from './letter.ts'
import type { Post } from './post.ts'

/** Throws when it was not taken, or may yet be: the message comes again. The log names no address. */
export const sendMail =
  (post: Post) =>
  async (message: MailMessage, job: Job): Promise<void> => {
    const ended = await attempt(post, message, job)
    job.log(EXPECTED.has(ended.status) ? 'info' : 'warn', 'mail', {
      mail_id: message.id,
      kind: message.kind,
      ...ended,
    })
  }

const EXPECTED = new Set<Ended['status']>(['sent', 'dropped', 'nothing_to_send'])

type Ended = { status: Ending | 'dropped' | 'limited' | 'nothing_to_send'; reason?: string | undefined }

const attempt = async (post: Post, message: MailMessage, job: Job): Promise<Ended> => {
  const { table, environment, nowMs } = job
  const earlier = await earlierClaim(table, message.id, nowMs)
  if (earlier === 'open') throw inOtherHands(message)
  if (earlier === 'interrupted') return { status: 'unknown', reason: earlier }
  if (earlier === 'ended') return { status: 'dropped' }
  const desk = await openDesk(job)
  const mail = await compose(message.kind, message, desk)
  if (!mail) return { status: 'nothing_to_send' }
  const key = required(environment, 'CLIENT_KEY')
  const claiming = { table, key, nowMs, scale: environment.LIMIT_SCALE }
  const claim = await claimMail(claiming, message, sameCase(mail.to))
  if (claim === 'open') throw inOtherHands(message)
  if (claim === 'over_ceiling') {
    const { id: mail_id, kind } = message
    job.log('warn', 'mail', { mail_id, kind, status: claim })
    throw new Error(`The mail ${mail_id} is one too many of all in this hour: it is tried again.`)
  }
  if (claim === 'limited') {
    if (mail.heldBack) await unlessRefused(table.write(mail.heldBack))
    return { status: claim }
  }

  const sender = environment.MAIL_SENDER
  const { outcome, reason } =
    sender === ''
      ? { outcome: 'no_sender' as const }
      : await post(mail, { sender, configurationSet: environment.MAIL_CONFIGURATION_SET })
  if (outcome === 'not_taken') {
    await releaseMail(table, message.id, nowMs)
    throw new Error(`The mail ${message.id} was not taken (${reason}): it is tried again.`)
  }
  await endMail(table, message.id, outcome, nowMs)
  return { status: outcome, reason }
}

/** It comes again, and finds the mail ended, or whoever has it dead. */
const inOtherHands = ({ id }: MailMessage) =>
  new Error(`The mail ${id} is being sent: looked at again later.`)

const unlessRefused = (writing: Promise<void>): Promise<void> =>
  writing.catch(error => {
    if (!(error instanceof Refused)) throw error
  })

const openDesk = async ({ table, work, environment, nowMs }: Job): Promise<Desk> => {
  const [siteUrl, settings] = await Promise.all([work.siteUrl(), currentSettings(table, nowMs)])
  return {
    table,
    key: required(environment, 'LINK_KEY'),
    nowSeconds: work.nowSeconds,
    siteUrl,
    siteName: oneLine(settings['general.site_name'] ?? '') || new URL(siteUrl).host,
  }
}
