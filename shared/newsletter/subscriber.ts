// The record of a subscriber, and the rules of requesting, confirming and ending a subscription. No I/O.
import * as z from 'zod/mini'
import { isRunning } from '../table/running.ts'
import { Status } from './contract.ts'

export const SubscriberEntry = z.object({
  id: z.int(),
  email: z.string(),
  status: Status,
  subscribed_at: z.nullable(z.int()),
  unsubscribed_at: z.nullable(z.int()),
  created_at: z.int(),
})
/** The list entry of a subscriber. */
export type SubscriberEntry = z.infer<typeof SubscriberEntry>

export const Subscriber = z.extend(SubscriberEntry, {
  /** When the last mail with a link was ordered. A suppressed mail does not count. */
  mailed_at: z.nullable(z.int()),
  /** Increased by each change; the condition of a write. */
  revision: z.int(),
})
export type Subscriber = z.infer<typeof Subscriber>

/** Regardless of the status: unsubscribing and asking again does not send mails more often. */
const MAIL_INTERVAL_SECONDS = 5 * 60
/** Counted from the last mail. */
const CONFIRM_WITHIN_SECONDS = 7 * 24 * 60 * 60

/** A subscriber for an unknown address; it gets its id and revision when it is stored. */
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

/** Anyone may request any address. A later `mailed_at` orders the mail. */
export function requestSubscription(subscriber: Subscriber, nowSeconds: number): Subscriber {
  const { status, mailed_at } = subscriber
  const isMailDue =
    mailed_at === null || !isRunning(mailed_at * 1000, MAIL_INTERVAL_SECONDS * 1000, nowSeconds * 1000)
  if (status === 'subscribed' || (status === 'pending' && !isMailDue)) return subscriber
  return { ...subscriber, status: 'pending', mailed_at: isMailDue ? nowSeconds : mailed_at }
}

/** Whether the link of the last mail may still confirm; also true when it already has. */
export function isConfirmable({ status, mailed_at }: Subscriber, nowSeconds: number): boolean {
  return (
    status === 'subscribed' ||
    (status === 'pending' && mailed_at !== null && nowSeconds < mailed_at + CONFIRM_WITHIN_SECONDS)
  )
}

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
