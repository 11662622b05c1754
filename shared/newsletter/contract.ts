// The endpoints of the newsletter: subscribing by mail, the caller's subscription, and subscribers.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
import { named } from '../http/named.ts'
import { requiredLine } from '../http/text.ts'
import { Time } from '../http/time.ts'
import { REFUSAL_REASONS } from '../mail/refusal.ts'

const STATUSES = ['pending', 'subscribed', 'unsubscribed'] as const
export const Status = z.enum(STATUSES, `Must be one of ${STATUSES.join(', ')}.`)
export type Status = z.infer<typeof Status>

const fields = {
  email: z.string(),
  status: z.enum(STATUSES),
  subscribed_at: z.nullable(Time),
  unsubscribed_at: z.nullable(Time),
}
export const MailRefusal = named('MailRefusal', z.object({ reason: z.enum(REFUSAL_REASONS), since: Time }))
export const SubscriberView = named(
  'Subscriber',
  z.object({ id: z.int(), ...fields, mail_refusal: z.optional(MailRefusal) }),
)
export type SubscriberView = z.infer<typeof SubscriberView>

/** The id is null for an address that never subscribed or is not verified. */
export const OwnSubscription = named('OwnSubscription', z.object({ id: z.nullable(z.int()), ...fields }))
export type OwnSubscription = z.infer<typeof OwnSubscription>

export const EmailInput = z.object({ email: emailAddress })
export const TokenInput = z.object({ token: requiredLine(255) })

const forUsers = { path: '/api/v1/me/newsletter', audience: 'user', ability: 'newsletter:manage' } as const

export const newsletter = group(() => ({
  subscribe: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/subscribe',
    summary: 'Ask to subscribe an e-mail address',
    message: 'If the address is not subscribed yet, a mail is on its way.',
    limit: ownLimit('newsletter-subscribe', 5),
    body: EmailInput,
    data: EmptyData,
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/confirm',
    summary: 'Confirm a subscription with the token of a mail',
    message: 'Subscribed.',
    body: TokenInput,
    data: EmptyData,
    emits: ['newsletter.subscribed'],
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/api/v1/newsletter/unsubscribe',
    summary: 'Unsubscribe with the token of a mail',
    message: 'Unsubscribed.',
    body: TokenInput,
    data: EmptyData,
    emits: ['newsletter.unsubscribed'],
  }),
}))

export const ownNewsletter = group(() => ({
  getSubscription: endpoint({
    ...forUsers,
    method: 'GET',
    summary: "Get the caller's subscription",
    message: 'Subscription.',
    data: OwnSubscription,
  }),
  subscribeMe: endpoint({
    ...forUsers,
    method: 'POST',
    summary: 'Subscribe the caller',
    message: 'Subscription.',
    data: OwnSubscription,
    emits: ['newsletter.subscribed'],
  }),
  unsubscribeMe: endpoint({
    ...forUsers,
    method: 'DELETE',
    summary: 'Unsubscribe the caller',
    message: 'Unsubscribed.',
    data: EmptyData,
    emits: ['newsletter.unsubscribed'],
  }),
}))

export const adminNewsletter = group(() => ({
  listSubscribers: endpoint({
    method: 'GET',
    path: '/api/v1/admin/newsletter',
    audience: 'admin',
    summary: 'List newsletter subscribers, newest first',
    message: 'Subscribers.',
    query: z.extend(pageQuery(), { status: z.optional(Status) }),
    data: z.array(SubscriberView),
    isPaginated: true,
  }),
  deleteSubscriber: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/newsletter/{id}',
    audience: 'admin',
    summary: 'Delete a newsletter subscriber permanently',
    message: 'Subscriber deleted.',
    params: z.object({ id: Id }),
    data: EmptyData,
  }),
}))
