// What SES publishes about a mail that bounced or was marked as spam. Its simulator has an address for each:
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
import { randomUUID } from 'node:crypto'
import { ACCOUNT_ID, arn } from '../account.ts'
import type { LocalMail } from './ses.ts'

type SentMail = Pick<LocalMail, 'id' | 'at' | 'from' | 'to' | 'subject'>
type Bounce = { type: string; subType: string; action?: string; status?: string; diagnosticCode?: string }

/** Each address may have a label: `bounce+mine@simulator.amazonses.com`. Others are delivered. */
const ADDRESS = /^(bounce|complaint|ooto|suppressionlist)(?:\+[^@]*)?@simulator\.amazonses\.com$/i

const UNKNOWN_USER: Bounce = {
  type: 'Permanent',
  subType: 'General',
  action: 'failed',
  status: '5.1.1',
  diagnosticCode: 'smtp; 550 5.1.1 user unknown',
}
const SUPPRESSED: Bounce = {
  type: 'Permanent',
  subType: 'Suppressed',
  action: 'failed',
  status: '5.1.1',
  diagnosticCode:
    'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
}
const OUT_OF_OFFICE: Bounce = { type: 'Transient', subType: 'General' }

/** The event about a mail to the mailbox simulator, or undefined if it has none. */
export function simulatedEventOf(mail: SentMail): object | undefined {
  switch (ADDRESS.exec(mail.to)?.[1]?.toLowerCase()) {
    case 'bounce':
      return bounceOf(mail)
    case 'suppressionlist':
      return bounceOf(mail, SUPPRESSED)
    case 'ooto':
      return bounceOf(mail, OUT_OF_OFFICE)
    case 'complaint':
      return complaintOf(mail)
    default:
      return undefined
  }
}

export function bounceOf(mail: SentMail, { type, subType, ...answer }: Bounce = UNKNOWN_USER): object {
  return {
    eventType: 'Bounce',
    bounce: {
      feedbackId: randomUUID(),
      bounceType: type,
      bounceSubType: subType,
      bouncedRecipients: [{ emailAddress: mail.to, ...answer }],
      timestamp: new Date().toISOString(),
      reportingMTA: 'dns; localhost',
    },
    mail: headOf(mail),
  }
}

export function complaintOf(mail: SentMail): object {
  const timestamp = new Date().toISOString()
  return {
    eventType: 'Complaint',
    complaint: {
      feedbackId: randomUUID(),
      complaintSubType: null,
      complainedRecipients: [{ emailAddress: mail.to }],
      timestamp,
      userAgent: 'Amazon SES Mailbox Simulator',
      complaintFeedbackType: 'abuse',
      arrivalDate: timestamp,
    },
    mail: headOf(mail),
  }
}

function headOf({ id, at, from, to, subject }: SentMail): object {
  const headers = { From: from, To: to, Subject: subject, 'MIME-Version': '1.0' }
  return {
    timestamp: at.toISOString(),
    source: from,
    sourceArn: arn('ses', `identity/${from}`),
    sendingAccountId: ACCOUNT_ID,
    messageId: id,
    destination: [to],
    headersTruncated: false,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    commonHeaders: { from: [from], to: [to], messageId: id, subject },
    tags: {},
  }
}

/**
 * The message that a queue gets from a topic without raw delivery.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html#http-notification-json
 */
export function inEnvelope(event: object): object {
  return {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: arn('sns', 'mail-notices'),
    Subject: 'Amazon SES Email Event Notification',
    Message: `${JSON.stringify(event)}\n`,
    Timestamp: new Date().toISOString(),
    SignatureVersion: '1',
    Signature: 'not signed on this machine',
    SigningCertURL: 'https://sns.us-east-1.amazonaws.com/none.pem',
    UnsubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
  }
}
