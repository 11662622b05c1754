// What SES publishes about a mail that bounced or was marked as spam. Its simulator has an address for each:
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
import { randomUUID } from 'node:crypto'
import { ACCOUNT_ID, arn } from '../account.ts'
import type { LocalMail } from './ses.ts'

type SentMail = Pick<LocalMail, 'id' | 'at' | 'from' | 'to' | 'subject'>
type Bounce = { type: string; subType: string; action?: string; status?: string; diagnosticCode?: string }

/** Each address may have a label: `bounce+mine@simulator.amazonses.com`. Others are delivered. */
const ADDRESS = /^(bounce|complaint|ooto|suppressionlist)(?:\+[^@]*)?@simulator\.amazonses\.com$/i

const FAILED = { type: 'Permanent', action: 'failed', status: '5.1.1' }
const BOUNCES: Record<string, Bounce> = {
  bounce: { ...FAILED, subType: 'General', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
  suppressionlist: {
    ...FAILED,
    subType: 'Suppressed',
    diagnosticCode:
      'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
  },
  ooto: { type: 'Transient', subType: 'General' },
}

/** The event about a mail to the mailbox simulator, or undefined if it has none. */
export function simulatedEventOf(mail: SentMail): object | undefined {
  const name = ADDRESS.exec(mail.to)?.[1]?.toLowerCase() ?? ''
  const feedback = { feedbackId: randomUUID(), timestamp: new Date().toISOString() }
  if (name === 'complaint') {
    const complaint = {
      ...feedback,
      complaintSubType: null,
      complainedRecipients: [{ emailAddress: mail.to }],
      userAgent: 'Amazon SES Mailbox Simulator',
      complaintFeedbackType: 'abuse',
      arrivalDate: feedback.timestamp,
    }
    return { eventType: 'Complaint', complaint, mail: headOf(mail) }
  }
  if (!BOUNCES[name]) return undefined
  const { type, subType, ...answer } = BOUNCES[name]
  const bounce = {
    ...feedback,
    bounceType: type,
    bounceSubType: subType,
    bouncedRecipients: [{ emailAddress: mail.to, ...answer }],
    reportingMTA: 'dns; localhost',
  }
  return { eventType: 'Bounce', bounce, mail: headOf(mail) }
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
