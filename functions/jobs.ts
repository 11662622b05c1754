// Works off what outlives a request: mails, what SES says about them, and clean-ups and replays in steps.
import { removeRevokedTokens } from '../shared/accounts/commands/tokens.ts'
import { resetPasswordMail, verifyEmailMail } from '../shared/accounts/mails.ts'
import { cleanUpComments } from '../shared/comments/commands.ts'
import type { StepMessage } from '../shared/events/message.ts'
import { requireSent } from '../shared/events/sqs.ts'
import { consume, type Handle } from '../shared/lambda/consume.ts'
import { clearList } from '../shared/lists/walk.ts'
import type { Composers } from '../shared/mail/mail.ts'
import { recordBounces } from '../shared/mail/refusals.ts'
import { sendMail } from '../shared/mail/send.ts'
import { type MailTransport, openTransport } from '../shared/mail/transport.ts'
import { confirmNewsletterMail } from '../shared/newsletter/mails.ts'
import type { JobContext } from '../shared/runtime/runtime.ts'
import type { Table } from '../shared/table/client.ts'
import { type ReplayMessage, stepReplay } from '../shared/webhooks/commands/redeliver.ts'
import { webhookFailingMail } from '../shared/webhooks/commands/warn-owner.ts'

/** Composes each kind of mail. */
const COMPOSERS: Composers = {
  'verify-email': verifyEmailMail,
  'reset-password': resetPasswordMail,
  'confirm-newsletter': confirmNewsletterMail,
  'webhook-failing': webhookFailingMail,
}

/** Handles a message of the queue; mails leave by `transport`. */
export function workOff(transport: MailTransport): Handle<'jobs'> {
  const mail = sendMail(transport, COMPOSERS)
  return async (message, job) => {
    // Only notices of SES, which the service does not send itself, have no kind.
    if (!('kind' in message)) return await recordBounces(message, job)
    switch (message.kind) {
      case 'replay':
        return await stepReplay(job, message)
      case 'list':
      case 'comments':
      case 'tokens':
        return await cleanUp(message, job)
      default:
        return await mail(message, job)
    }
  }
}

type CleanUpMessage = Exclude<StepMessage, ReplayMessage>

/** Takes one step, and sends a message for the next one if more is left. */
async function cleanUp(message: CleanUpMessage, { table, sender }: JobContext): Promise<void> {
  if (!(await removeSome(table, message))) return
  requireSent(await sender.send([{ queue: 'jobs', body: message }]), 'messages to continue')
}

/** Removes at most 100 records. Returns whether there may be more. Idempotent. */
async function removeSome(table: Table, message: CleanUpMessage): Promise<boolean> {
  switch (message.kind) {
    case 'list':
      return await clearList(table, message.list)
    case 'comments':
      return await cleanUpComments(table, message)
    case 'tokens':
      return await removeRevokedTokens(table, message.user_id, message.first_valid)
  }
}

export const handler = consume('jobs', workOff(openTransport()))
