// Composes the mail that confirms a subscription, with links to confirm and to unsubscribe.
import type { Composer } from '../mail/composer.ts'
import { fillTemplate } from '../mail/template.ts'
import { undoMailOrder } from './commands/subscribers.ts'
import { subscriberToken } from './links.ts'
import { findSubscriber } from './store.ts'

export const confirmNewsletterMail: Composer<'confirm-newsletter'> = async (
  { subscriber_id, mailed_at, mailed_before },
  { table, key, siteUrl, siteName },
) => {
  const subscriber = await findSubscriber(table, subscriber_id)
  if (subscriber?.status !== 'pending') return undefined
  const token = subscriberToken(key, subscriber.id)
  const mail = fillTemplate({
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
  return { ...mail, suppressed: undoMailOrder(subscriber_id, mailed_at, mailed_before) }
}
