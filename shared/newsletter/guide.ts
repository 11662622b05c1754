// The guide to the newsletter: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import {
  adminNewsletter,
  EmailInput,
  MailRefusal,
  newsletter,
  OwnSubscription,
  ownNewsletter,
  SubscriberView,
  TokenInput,
} from './contract.ts'

const SUBSCRIBER = {
  id: 1,
  email: 'ada@example.com',
  status: 'subscribed' as const,
  subscribed_at: '2026-05-26T15:00:00+00:00',
  unsubscribed_at: null,
}
/** Only the service can create a token, so the example shows what one looks like. */
const TOKEN = '1.0.mT4kq0dQyWbZ7cH1uXvE9sR2aJ5nLfGoPiY8wKzCt3M'

const UNVERIFIED = `An account may have been registered with another person's address. Until the address is verified,`

const SHOWN_TEXTS = {
  id: 'Numeric id.',
  email: 'E-mail address.',
  status: '`pending` until the address is confirmed, then `subscribed`, and `unsubscribed` after opting out.',
  subscribed_at: 'When the address was last confirmed, in UTC; null if it never was.',
  unsubscribed_at:
    'When the address last opted out, in UTC; null if it never did, or has subscribed again since.',
} as const

export const NEWSLETTER_GUIDE: SliceGuide = {
  tags: {
    newsletter: 'Subscribe and unsubscribe by mail.',
    'me: newsletter': "The caller's subscription to the newsletter. Needs the ability `newsletter:manage`.",
    'admin: newsletter': 'Subscribers of the newsletter. Needs the ability `admin`.',
  },
  endpoints: [
    ...guideOf(newsletter, {
      subscribe: {
        description: `Sends a mail with a link to confirm, unless the address is subscribed already or got a mail within the last
          five minutes. Neither the answer nor its time tells which. The link contains a \`token\` for the two endpoints below.`,
        body: { email: 'ada@example.com' },
      },
      confirm: {
        description: `The token works for seven days from the last mail, and again while the address is subscribed. Post it from a
          page of your site, so that a mail scanner that follows the link confirms nothing.`,
        body: { token: TOKEN },
      },
      unsubscribe: {
        description: `The token of any mail works forever. The event fires only if the address was subscribed.`,
        body: { token: TOKEN },
      },
    }),
    ...guideOf(ownNewsletter, {
      getSubscription: {
        description: `${UNVERIFIED} it shows only whether the caller asked: \`pending\` or \`unsubscribed\`.`,
        data: SUBSCRIBER,
      },
      subscribeMe: {
        description: `Subscribes the address immediately if it is verified. ${UNVERIFIED} it gets a mail with a link to confirm.`,
        data: SUBSCRIBER,
      },
      unsubscribeMe: {
        description: `Unsubscribes the address if it is verified. ${UNVERIFIED} it only takes back what the caller asked for.`,
      },
    }),
    ...guideOf(
      adminNewsletter,
      {
        listSubscribers: {
          description: `All subscribers, or those of one status. Whatever the status, send nothing to an address with
            \`mail_refusal\`: the service does not either.`,
          data: [SUBSCRIBER],
        },
        deleteSubscriber: {
          description: `Deletes all that is stored about the address. Links that were mailed to it stop working. It fires nothing.`,
          params: { id: 1 },
        },
      },
      {
        id: 'Id of the subscriber.',
        status: ['Only subscribers of this status. By default all.', 'pending'],
      },
    ),
  ],
  members: [
    describes(SubscriberView, {
      ...SHOWN_TEXTS,
      mail_refusal:
        'Only for an address that gets no mail: a mail to it bounced for good, or was marked as spam.',
    }),
    describes(MailRefusal, {
      reason: '`bounce`: its server refused a mail for good. `complaint`: its owner marked a mail as spam.',
      since: 'When the mail bounced or the complaint was made, in UTC.',
    }),
    describes(OwnSubscription, {
      ...SHOWN_TEXTS,
      id: 'Numeric id; null if the address never subscribed or is not verified.',
      email: "The caller's e-mail address.",
      status: `${SHOWN_TEXTS.status} Also \`unsubscribed\` if the address never subscribed.`,
    }),
    describes(EmailInput, { email: ['E-mail address of at most 254 characters.', 'ada@example.com'] }),
    describes(TokenInput, { token: 'The `token` of the link in the mail.' }),
  ],
}
