// Descriptions of the members of newsletter subscriptions, and of the parameters of their endpoints.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
import { adminNewsletter, EmailInput, OwnSubscription, SubscriberView, TokenInput } from './contract.ts'

const SHOWN = {
  id: 'Numeric id.',
  email: 'E-mail address.',
  status: '`pending` until the address is confirmed, then `subscribed`, and `unsubscribed` after opting out.',
  subscribed_at: 'When the address was last confirmed, in UTC; null if it never was.',
  unsubscribed_at:
    'When the address last opted out, in UTC; null if it never did, or has subscribed again since.',
} as const

export const NEWSLETTER_DESCRIPTIONS: Description[] = [
  describes(SubscriberView, SHOWN),
  describes(OwnSubscription, {
    ...SHOWN,
    id: 'Numeric id; null if the address never subscribed or is not verified.',
    email: "The caller's e-mail address.",
    status: `${SHOWN.status} Also \`unsubscribed\` if the address never subscribed.`,
  }),
  describes(EmailInput, { email: ['E-mail address of at most 254 characters.', 'ada@example.com'] }),
  describes(TokenInput, { token: 'The `token` of the link in the mail.' }),
  describes(adminNewsletter.listSubscribers.query, {
    ...pageTexts(),
    status: ['Only subscribers of this status. By default all.', 'pending'],
  }),
  describes(adminNewsletter.deleteSubscriber.params, { id: 'Id of the subscriber.' }),
]
