// The events that a change of a subscriber fires. No I/O.
import type { DomainEvent } from '../events/catalogue.ts'
import type { Subscriber } from './subscriber.ts'

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
