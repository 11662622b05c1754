// What SES publishes about a mail.
/** When a bounce happened, or a complaint was made. */
export const AT = '2026-03-01T08:00:00.000Z'
export const AT_MS = Date.parse(AT)

type BounceOptions = { type?: string; at?: string; to?: string[]; recipients?: object[] }

/** As in https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html */
export function bounce(address: string, { type = 'Permanent', at = AT, to, recipients }: BounceOptions = {}) {
  const diagnosticCode = 'smtp; 550 5.1.1 user unknown'
  return {
    eventType: 'Bounce',
    bounce: {
      bounceType: type,
      bounceSubType: 'General',
      bouncedRecipients: recipients ?? [
        { emailAddress: address, action: 'failed', status: '5.1.1', diagnosticCode },
      ],
      timestamp: at,
      feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
      reportingMTA: 'dsn; mta.example.com',
    },
    mail: mailTo(to ?? [address]),
  }
}

export function complaint(address: string, { feedback = 'abuse', at = AT } = {}) {
  return {
    eventType: 'Complaint',
    complaint: {
      complainedRecipients: [{ emailAddress: address }],
      timestamp: at,
      feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
      userAgent: 'Amazon SES Mailbox Simulator',
      complaintSubType: null,
      complaintFeedbackType: feedback,
      arrivalDate: at,
    },
    mail: mailTo([address]),
  }
}

export function mailTo(destination: string[]) {
  return {
    timestamp: '2026-03-01T07:59:59.000Z',
    source: 'content@site.example',
    sourceArn: 'arn:aws:ses:us-east-1:123456789012:identity/content@site.example',
    sendingAccountId: '123456789012',
    messageId: 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
    destination,
    headersTruncated: false,
    headers: [{ name: 'To', value: destination[0] }],
    commonHeaders: { from: ['content@site.example'], to: destination, subject: 'Confirm' },
    tags: { 'ses:configuration-set': ['ConfigSet'], 'ses:from-domain': ['site.example'] },
  }
}
