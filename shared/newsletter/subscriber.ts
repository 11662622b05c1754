// The record of a subscriber: its rules, lists, events and views. No I/O.
import * as z from 'zod/mini'
import type { User } from '../accounts/user.ts'
import type { DomainEvent } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import { type List, type ListEntry, newestFirst } from '../lists/counted-list.ts'
import type { Refusal } from '../mail/refusal.ts'
import { isRunning } from '../table/concurrency.ts'
import { timeOrder } from '../table/design.ts'
import { type OwnSubscription, Status, type SubscriberView } from './contract.ts'

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
  /** When the last mail with a link was ordered. */
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

/** Undefined if no mail was sent, or the last one too long ago. */
export function confirmByLink(subscriber: Subscriber, nowSeconds: number): Subscriber | undefined {
  const { status, mailed_at } = subscriber
  const isInTime = mailed_at !== null && nowSeconds < mailed_at + CONFIRM_WITHIN_SECONDS
  const isConfirmable = status === 'subscribed' || (status === 'pending' && isInTime)
  return isConfirmable ? confirmSubscription(subscriber, nowSeconds) : undefined
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

export function subscriberList(status?: Status): List {
  return newestFirst(`newsletter:${status ?? 'all'}`)
}

/** Every list of subscribers. The doctor checks these. */
export function listsOfSubscribers() {
  return [undefined, ...Status.options].map(subscriberList)
}

export function listEntriesOf(subscriber: Subscriber): ListEntry[] {
  const order = timeOrder(subscriber.created_at, subscriber.id)
  const item = SubscriberEntry.parse(subscriber)
  return [subscriberList(), subscriberList(subscriber.status)].map(list => ({ list, order, item }))
}

/** A request fires nothing, and neither does the end of a subscription that was never confirmed. */
export function eventsOf(before: Subscriber | undefined, after: Subscriber, url: string): DomainEvent[] {
  const { id, email, status } = after
  const data = { id, url, email }
  const oldStatus = before?.status
  if (status === 'subscribed' && oldStatus !== 'subscribed') return [{ event: 'newsletter.subscribed', data }]
  if (status === 'unsubscribed' && oldStatus === 'subscribed') {
    return [{ event: 'newsletter.unsubscribed', data }]
  }
  return []
}

function isoOrNull(epochSeconds: number | null): string | null {
  return epochSeconds === null ? null : isoTime(epochSeconds)
}

/** With the refusal of the address, if it gets no mail. */
export function subscriberView(subscriber: SubscriberEntry, refusal?: Refusal): SubscriberView {
  return {
    id: subscriber.id,
    email: subscriber.email,
    status: subscriber.status,
    subscribed_at: isoOrNull(subscriber.subscribed_at),
    unsubscribed_at: isoOrNull(subscriber.unsubscribed_at),
    ...(refusal && {
      mail_refusal: { reason: refusal.reason, since: isoTime(Math.floor(refusal.refused_ms / 1000)) },
    }),
  }
}

export function ownSubscription(subscriber: Subscriber): OwnSubscription {
  return {
    ...subscriberView(subscriber),
    id: subscriber.id || null,
  }
}

/** For an account with an unverified address: shows only its own request, not the state of the address. */
export function unverifiedSubscription({ email, wants_newsletter, created_at }: User): OwnSubscription {
  return {
    ...ownSubscription(unknownSubscriber(email, created_at)),
    status: wants_newsletter ? 'pending' : 'unsubscribed',
  }
}
