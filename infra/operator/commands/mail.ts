// Commands for the addresses that get no more mail, since one bounced for good or its owner complained.
import * as z from 'zod/mini'
import { isInForce, type Refusal } from '../../../shared/mail/refusal.ts'
import { liftRefusal, listRefusals } from '../../../shared/mail/refusals.ts'
import { command, value } from '../command.ts'
import { columns } from '../escape.ts'
import { refusalView } from '../refusal-view.ts'

const EMAIL = value('EMAIL', 'address, in upper or lower case', z.string('Is required.'))

function lineOf(refusal: Refusal): string {
  const { email, reason, refused_at, detail } = refusalView(refusal)
  return columns([email, reason, refused_at, detail])
}

const refused = command({
  name: 'mail refused',
  summary:
    'List the addresses that get no mail after a hard bounce or a complaint, newest first, tab-separated',
  run: async (_, { target: { table } }) => {
    const all = (await listRefusals(table)).filter(isInForce)
    const sorted = all.sort((a, b) => b.refused_ms - a.refused_ms)
    return { lines: sorted.map(lineOf), json: sorted.map(refusalView) }
  },
})

const allow = command({
  name: 'mail allow',
  summary: 'Send mails to such an address again',
  details: `  Only if its owner asked for it: SES stops accounts whose mails bounce or are marked as spam. On a deployed stage it
  also removes the address from the suppression list of SES, which is that of the whole account.`,
  args: { email: EMAIL },
  run: async ({ email: given }, { target, nowMs }) => {
    const email = given.trim()
    // First the list of SES: if that fails, the address is still refused here.
    await target.stopSuppressing?.(email)
    const wasRefused = await liftRefusal(target.table, email, nowMs)
    const line = wasRefused ? `${email} gets mails again.` : `${email} was not refused.`
    return { lines: [line], json: { email, was_refused: wasRefused } }
  },
})

export const MAIL_COMMANDS = [refused, allow]
