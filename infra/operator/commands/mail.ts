// The command for the addresses that get no more mail, since one bounced for good or its owner complained.
import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'
import { asciiEmail, foldedEmail } from '../../../shared/http/email.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { isInForce, type Refusal } from '../../../shared/mail/refusal.ts'
import { liftRefusal, listRefusals } from '../../../shared/mail/refusals.ts'
import { type Context, command, optionalText, type Result } from '../command.ts'

export function refusalView({ email, reason, detail, refused_ms, allowed_ms }: Refusal) {
  return {
    email,
    reason,
    detail,
    refused_at: isoTime(Math.floor(refused_ms / 1000)),
    allowed_at: allowed_ms === undefined ? null : isoTime(Math.floor(allowed_ms / 1000)),
  }
}

export const mailRefused = command({
  name: 'mail refused',
  summary: 'List the addresses that get no mail after a bounce or a complaint, or allow one again',
  details: `  Allow an address only if its owner asked for it: SES stops accounts whose mails bounce or are marked as spam. On a
  deployed stage this also removes the address from the suppression list of SES, which is that of the whole account.`,
  options: {
    allow: optionalText('EMAIL', 'send mails to this address again'),
  },
  run: async ({ allow }, { target, nowMs }) => {
    if (allow !== undefined) return await allowAgain(target, allow.trim(), nowMs)
    const all = (await listRefusals(target.table)).filter(isInForce)
    const shown = all.sort((a, b) => b.refused_ms - a.refused_ms).map(refusalView)
    const lines = shown.map(({ email, reason, refused_at, detail }) => [email, reason, refused_at, detail])
    return { lines, json: shown }
  },
})

async function allowAgain(target: Context['target'], email: string, nowMs: number): Promise<Result> {
  // First the list of SES: if that fails, the address is still refused here.
  if (target.stage !== undefined && !target.isIdle) await stopSuppressing(email)
  const wasRefused = await liftRefusal(target.table, email, nowMs)
  const line = wasRefused ? `${email} gets mails again.` : `${email} was not refused.`
  return { lines: [line], json: { email, was_refused: wasRefused } }
}

/** From the suppression list of SES, which sends nothing to an address on it, whatever the service does. */
async function stopSuppressing(email: string): Promise<void> {
  const client = new SESv2Client()
  for (const EmailAddress of new Set([asciiEmail(email), foldedEmail(email)])) {
    await client.send(new DeleteSuppressedDestinationCommand({ EmailAddress })).catch(error => {
      if (!(error instanceof NotFoundException)) throw error
    })
  }
}
