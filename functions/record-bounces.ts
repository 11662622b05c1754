// Reads what SES publishes about mails: an address of which one bounced, or that complained, gets no more.
import { consume } from '../shared/lambda/consume.ts'
import { recordBounces } from '../shared/mail/record-bounces.ts'

export const handler = consume('bounces', recordBounces)
