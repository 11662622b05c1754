// The events that a change of a subscriber fires.
import type { DomainEvent } from '../events/catalogue.ts'
import type { Subscriber } from './subscriber.ts'

/** Asking is told to nobody, and neither is taking back what was never confirmed. */
export function eventsOf(before: Subscriber | undefined, after: Subscriber, url: string): DomainEvent[] {
  const { id, email, status } = after
  const data = { id, url, email }
  const was = before?.status
  if (status === 'subscribed' && was !== 'subscribed') return [{ event: 'newsletter.subscribed', data }]
  if (status === 'unsubscribed' && was === 'subscribed') return [{ event: 'newsletter.unsubscribed', data }]
  return []
}
