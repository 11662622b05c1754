// Sends the mails that changes ordered through SES, each at most once.
import { consume } from '../shared/lambda/consume.ts'
import { sendMail } from '../shared/mail/send.ts'
import { openTransport } from '../shared/mail/transport.ts'
import { COMPOSERS } from '../shared/service/mails.ts'

export const handler = consume('mail', sendMail(openTransport(), COMPOSERS))
