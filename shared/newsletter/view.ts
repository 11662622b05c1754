// A subscriber as the API shows it to admins and to its user. No I/O.
import type { User } from '../accounts/user.ts'
import { isoTime } from '../http/time.ts'
import type { Refusal } from '../mail/refusal.ts'
import type { OwnSubscription, SubscriberView } from './contract.ts'
import { type Subscriber, type SubscriberEntry, unknownSubscriber } from './subscriber.ts'

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
