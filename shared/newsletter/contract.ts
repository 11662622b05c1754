// The endpoints of the newsletter: subscribing by mail, the caller's subscription, and subscribers.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { byId, pageParameters } from '../http/parameters.ts'
import { requiredLine } from '../http/text.ts'
import { Time } from '../http/time.ts'
import { REFUSAL_REASONS } from '../mail/refusal.ts'

const STATUSES = ['pending', 'subscribed', 'unsubscribed'] as const
export const Status = z.enum(STATUSES, `Must be one of ${STATUSES.join(', ')}.`)
export type Status = z.infer<typeof Status>

const STATUS_TEXT =
  '`pending` until the address is confirmed, then `subscribed`, and `unsubscribed` after opting out.'
const SHOWN = {
  id: [z.int(), 'Numeric id.'],
  email: [z.string(), 'E-mail address.'],
  status: [z.enum(STATUSES), STATUS_TEXT],
  subscribed_at: [z.nullable(Time), 'When the address was last confirmed, in UTC; null if it never was.'],
  unsubscribed_at: [
    z.nullable(Time),
    'When the address last opted out, in UTC; null if it never did, or has subscribed again since.',
  ],
} as const

const MailRefusal = named(
  'MailRefusal',
  members({
    reason: [
      z.enum(REFUSAL_REASONS),
      '`bounce`: its server refused a mail for good. `complaint`: its owner marked a mail as spam.',
    ],
    since: [Time, 'When the mail bounced or the complaint was made, in UTC.'],
  }),
)
export const SubscriberView = named(
  'Subscriber',
  members({
    ...SHOWN,
    mail_refusal: [
      z.optional(MailRefusal),
      'Only for an address that gets no mail: a mail to it bounced for good, or was marked as spam.',
    ],
  }),
)
export type SubscriberView = z.infer<typeof SubscriberView>

export const OwnSubscription = named(
  'OwnSubscription',
  members({
    ...SHOWN,
    id: [z.nullable(z.int()), 'Numeric id; null if the address never subscribed or is not verified.'],
    email: [z.string(), "The caller's e-mail address."],
    status: [z.enum(STATUSES), `${STATUS_TEXT} Also \`unsubscribed\` if the address never subscribed.`],
  }),
)
export type OwnSubscription = z.infer<typeof OwnSubscription>

export const EmailInput = members({
  email: [emailAddress, 'E-mail address of at most 254 characters.', 'ada@example.com'],
})
const TokenInput = members({ token: [requiredLine(255), 'The `token` of the link in the mail.'] })

const forUsers = { path: '/api/v1/me/newsletter', audience: 'user', ability: 'newsletter:manage' } as const

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

export const newsletter = group({ public: 'Subscribe and unsubscribe by mail.' }, () => ({
  subscribe: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/subscribe',
    summary: 'Ask to subscribe an e-mail address',
    description: `Sends a mail with a link to confirm, unless the address is subscribed already or got a mail within the last
          five minutes. Neither the answer nor its time tells which. The link contains a \`token\` for the two endpoints below.`,
    message: 'If the address is not subscribed yet, a mail is on its way.',
    limit: ownLimit('newsletter-subscribe', 5),
    body: EmailInput,
    data: EmptyData,
    example: { body: { email: 'ada@example.com' } },
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/confirm',
    summary: 'Confirm a subscription with the token of a mail',
    description: `The token works for seven days from the last mail, and again while the address is subscribed. Post it from a
          page of your site, so that a mail scanner that follows the link confirms nothing.`,
    message: 'Subscribed.',
    body: TokenInput,
    data: EmptyData,
    emits: ['newsletter.subscribed'],
    example: { body: { token: TOKEN } },
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/unsubscribe',
    summary: 'Unsubscribe with the token of a mail',
    description: `The token of any mail works forever. The event fires only if the address was subscribed.`,
    message: 'Unsubscribed.',
    body: TokenInput,
    data: EmptyData,
    emits: ['newsletter.unsubscribed'],
    example: { body: { token: TOKEN } },
  }),
}))

export const ownNewsletter = group(
  { user: "The caller's subscription to the newsletter. Needs the ability `newsletter:manage`." },
  () => ({
    getSubscription: endpoint({
      ...forUsers,
      method: 'GET',
      summary: "Get the caller's subscription",
      description: `${UNVERIFIED} it shows only whether the caller asked: \`pending\` or \`unsubscribed\`.`,
      message: 'Subscription.',
      data: OwnSubscription,
      example: { data: SUBSCRIBER },
    }),
    subscribeMe: endpoint({
      ...forUsers,
      method: 'POST',
      summary: 'Subscribe the caller',
      description: `Subscribes the address immediately if it is verified. ${UNVERIFIED} it gets a mail with a link to confirm.`,
      message: 'Subscription.',
      data: OwnSubscription,
      emits: ['newsletter.subscribed'],
      example: { data: SUBSCRIBER },
    }),
    unsubscribeMe: endpoint({
      ...forUsers,
      method: 'DELETE',
      summary: 'Unsubscribe the caller',
      description: `Unsubscribes the address if it is verified. ${UNVERIFIED} it only takes back what the caller asked for.`,
      message: 'Unsubscribed.',
      data: EmptyData,
      emits: ['newsletter.unsubscribed'],
    }),
  }),
)

export const adminNewsletter = group(
  { admin: 'Subscribers of the newsletter. Needs the ability `admin`.' },
  () => ({
    listSubscribers: endpoint({
      method: 'GET',
      path: '/api/v1/admin/newsletter',
      audience: 'admin',
      summary: 'List newsletter subscribers, newest first',
      description: `All subscribers, or those of one status. Whatever the status, send nothing to an address with
            \`mail_refusal\`: the service does not either.`,
      message: 'Subscribers.',
      query: members({
        ...pageParameters(),
        status: [z.optional(Status), 'Only subscribers of this status. By default all.', 'pending'],
      }),
      data: z.array(SubscriberView),
      example: { data: [SUBSCRIBER] },
    }),
    deleteSubscriber: endpoint({
      method: 'DELETE',
      path: '/api/v1/admin/newsletter/{id}',
      audience: 'admin',
      summary: 'Delete a newsletter subscriber permanently',
      description: `Deletes all that is stored about the address. Links that were mailed to it stop working. It fires nothing.`,
      message: 'Subscriber deleted.',
      params: byId('subscriber'),
      data: EmptyData,
      example: { params: { id: 1 } },
    }),
  }),
)
