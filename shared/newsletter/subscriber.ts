// The rules of subscribers: what asking, confirming and opting out make of one, and when a mail is due. No I/O.
import * as z from 'zod/mini'
import { Status } from './contract.ts'

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
const MAIL_INTERVAL_SECONDS = 5 * 60
/** From the last mail on. */
const CONFIRM_WITHIN_SECONDS = 7 * 24 * 60 * 60

/** An address that nothing is known of; its id and revision come when it is kept. */
export function unknownSubscriber(email: string, nowSeconds: number): Subscriber {
  return {
    id: 0,
    email,
    status: 'unsubscribed',
    subscribed_at: null,
    unsubscribed_at: null,
    created_at: nowSeconds,
    mailed_at: null,
    revision: 0,
  }
}

/** Somebody asked for the address, who may be anyone. A later `mailed_at` is what orders the mail. */
export function requestSubscription(subscriber: Subscriber, nowSeconds: number): Subscriber {
  const { status, mailed_at } = subscriber
  const isMailDue = mailed_at === null || mailed_at + MAIL_INTERVAL_SECONDS <= nowSeconds
  if (status === 'subscribed' || (status === 'pending' && !isMailDue)) return subscriber
  return { ...subscriber, status: 'pending', mailed_at: isMailDue ? nowSeconds : mailed_at }
}

/** Whether the link of the last mail subscribes, or did so already. */
export function isConfirmable({ status, mailed_at }: Subscriber, nowSeconds: number): boolean {
  return (
    status === 'subscribed' ||
    (status === 'pending' && mailed_at !== null && nowSeconds < mailed_at + CONFIRM_WITHIN_SECONDS)
  )
}

/** Whose address it is has said so. */
export function confirmSubscription(subscriber: Subscriber, nowSeconds: number): Subscriber {
  return subscriber.status === 'subscribed'
    ? subscriber
    : { ...subscriber, status: 'subscribed', subscribed_at: nowSeconds, unsubscribed_at: null }
}

export function unsubscribe(subscriber: Subscriber, nowSeconds: number): Subscriber {
  return subscriber.status === 'unsubscribed'
    ? subscriber
    : { ...subscriber, status: 'unsubscribed', unsubscribed_at: nowSeconds }
}
