// Whether SES sends the mails of the stage to any address.
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { type Check, cannotBeTold, heldUnless } from '../check.ts'

export const MAIL_CHECK: Check = {
  name: 'SES outside its sandbox',
  did: 'Asked SES for its account settings and the identity of the sender.',
  expected: 'It sends, outside the sandbox, and the sender or its domain is verified.',
  run: async ({ parameters }) => {
    const sender = parameters.MailSender
    if (!sender) return cannotBeTold('The stage sends no mails: its parameter MailSender is empty.')
    const client = new SESv2Client()
    const { ProductionAccessEnabled, SendingEnabled } = await client.send(new GetAccountCommand())
    const names = [sender, sender.slice(sender.indexOf('@') + 1)]
    const verified = await Promise.all(names.map(name => isVerified(client, name)))
    const wrong = [
      ...(ProductionAccessEnabled
        ? []
        : [
            'The account is in the sandbox: only verified addresses get mails. Ask AWS for production access.',
          ]),
      ...(SendingEnabled ? [] : ['AWS has paused sending for the account.']),
      ...(verified.includes(true) ? [] : [`Neither ${names.join(' nor ')} is a verified identity.`]),
    ]
    return heldUnless(wrong, `${sender} may send`)
  },
}

async function isVerified(client: SESv2Client, EmailIdentity: string): Promise<boolean> {
  try {
    const { VerifiedForSendingStatus } = await client.send(new GetEmailIdentityCommand({ EmailIdentity }))
    return VerifiedForSendingStatus === true
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundException') return false
    throw error
  }
}
