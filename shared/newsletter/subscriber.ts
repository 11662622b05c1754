// The rules of subscribers: what asking, confirming and opting out make of one, and when a mail is due. No I/O.
import * as z from 'zod/mini'
import type { User } from '../accounts/user.ts'
import { isoTime } from '../http/time.ts'
import { type OwnSubscription, Status, type SubscriberView } from './contract.ts'

export const SubscriberEntry = z.object({
  id: z.int(),
  email: z.string(),
  status: Status,
  subscribed_at: z.nullable(z.int()),
  unsubscribed_at: z.nullable(z.int()),
  created_at: z.int(),
})
/** What the lists show of a subscriber. */
export type SubscriberEntry = z.infer<typeof SubscriberEntry>

export const Subscriber = z.extend(SubscriberEntry, {
  /** When the last mail with a link was ordered; null: none was. One that is held back was none. */
  mailed_at: z.nullable(z.int()),
  /** Raised by every change of the record, which is conditioned on it. */
  revision: z.int(),
})
export type Subscriber = z.infer<typeof Subscriber>

/** Over the status: who opts out and asks again gets no mail more often. */
const MAIL_EVERY_SECONDS = 5 * 60
/** From the last mail on. */
const CONFIRM_WITHIN_SECONDS = 7 * 24 * 60 * 60

/** An address that nothing is known of; its id and revision come when it is kept. */
export const nobody = (email: string, now: number): Subscriber => ({
  id: 0,
  email,
  status: 'unsubscribed',
  subscribed_at: null,
  unsubscribed_at: null,
  created_at: now,
  mailed_at: null,
  revision: 0,
})

/** Somebody asked for the address, who may be anyone. A later `mailed_at` is what orders the mail. */
export const asked = (subscriber: Subscriber, now: number): Subscriber => {
  const { status, mailed_at } = subscriber
  const isMailDue = mailed_at === null || mailed_at + MAIL_EVERY_SECONDS <= now
  if (status === 'subscribed' || (status === 'pending' && !isMailDue)) return subscriber
  return { ...subscriber, status: 'pending', mailed_at: isMailDue ? now : mailed_at }
}

/** Whether the link of the last mail subscribes, or did so already. */
export const isConfirmable = ({ status, mailed_at }: Subscriber, now: number): boolean =>
  status === 'subscribed' ||
  (status === 'pending' && mailed_at !== null && now < mailed_at + CONFIRM_WITHIN_SECONDS)

/** Whose address it is has said so. */
export const confirmed = (subscriber: Subscriber, now: number): Subscriber =>
  subscriber.status === 'subscribed'
    ? subscriber
    : { ...subscriber, status: 'subscribed', subscribed_at: now, unsubscribed_at: null }

export const optedOut = (subscriber: Subscriber, now: number): Subscriber =>
  subscriber.status === 'unsubscribed'
    ? subscriber
    : { ...subscriber, status: 'unsubscribed', unsubscribed_at: now }

const iso = (epochSeconds: number | null): string | null =>
  epochSeconds === null ? null : isoTime(epochSeconds)

export const subscriberView = (subscriber: SubscriberEntry): SubscriberView => ({
  id: subscriber.id,
  email: subscriber.email,
  status: subscriber.status,
  subscribed_at: iso(subscriber.subscribed_at),
  unsubscribed_at: iso(subscriber.unsubscribed_at),
})

export const ownSubscription = (subscriber: Subscriber): OwnSubscription => ({
  ...subscriberView(subscriber),
  id: subscriber.id || null,
})

/** To an account whose address may be a stranger's: its own wish, whatever is known of the address. */
export const claimed = ({ email, wants_newsletter, created_at }: User): OwnSubscription => ({
  ...ownSubscription(nobody(email, created_at)),
  status: wants_newsletter ? 'pending' : 'unsubscribed',
})
