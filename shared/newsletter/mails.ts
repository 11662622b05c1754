// Composes the mail that confirms a subscription, with links to confirm and to unsubscribe.
import { isGenuine, linkToken, parseLinkToken } from '../mail/link-token.ts'
import { type Composer, fillTemplate } from '../mail/mail.ts'
import { findSubscriber } from './store.ts'

export const confirmNewsletterMail: Composer<'confirm-newsletter'> = async (
  { subscriber_id },
  { table, key, siteUrl, siteName },
) => {
  const subscriber = await findSubscriber(table, subscriber_id)
  if (subscriber?.status !== 'pending') return undefined
  const token = subscriberToken(key, subscriber.id)
  return fillTemplate({
    to: subscriber.email,
    subject: `Confirm your subscription to ${siteName}`,
    siteName,
    blocks: [
      `This address was entered for the newsletter of ${siteName}. If that was you, confirm it within 7 days:`,
      { label: 'Confirm the subscription', url: `${siteUrl}/newsletter/confirm?token=${token}` },
      'If it was not you, there is nothing to do. This link ends the subscription, now and at any time:',
      { label: 'Unsubscribe', url: `${siteUrl}/newsletter/unsubscribe?token=${token}` },
    ],
  })
}

const FOREVER = 0
const SUBSCRIBER_CLAIM = { purpose: 'newsletter' as const, state: '' }

export function subscriberToken(key: string, id: number): string {
  return linkToken(key, { ...SUBSCRIBER_CLAIM, id, expiresAt: FOREVER })
}

/** Returns the id in a genuine token. The subscriber may have been deleted. */
export function subscriberIdOf(key: string, text: string, nowSeconds: number): number | undefined {
  const token = parseLinkToken(text)
  return token && isGenuine(key, token, SUBSCRIBER_CLAIM, nowSeconds) ? token.id : undefined
}
