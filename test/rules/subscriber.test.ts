// When a newsletter subscriber gets another mail, and until when a link of one confirms.
import { describe, expect, it } from 'vitest'
import {
  confirmByLink,
  confirmSubscription,
  requestSubscription,
  unknownSubscriber,
  unsubscribe,
} from '../../shared/newsletter/subscriber.ts'

const NOW = 1_700_000_000
const WEEK = 7 * 24 * 60 * 60
const pending = { ...requestSubscription(unknownSubscriber('ada@example.com', NOW), NOW), id: 5 }

describe('requestSubscription', () => {
  it('orders another mail after five minutes, or after one that a clock ordered an hour ahead', () => {
    expect(requestSubscription(pending, NOW + 299)).toBe(pending)
    expect(requestSubscription(pending, NOW + 300)).toEqual({ ...pending, mailed_at: NOW + 300 })
    expect(requestSubscription({ ...pending, mailed_at: NOW + 3_600 }, NOW)).toEqual(pending)
    expect(requestSubscription({ ...pending, mailed_at: NOW + 2 }, NOW).mailed_at).toBe(NOW + 2)
  })
})

describe('confirmByLink', () => {
  it('allows a confirmation for seven days from the last mail, and without a mail none', () => {
    const again = requestSubscription(pending, NOW + 300)
    for (const [subscriber, seconds, isOpen] of [
      [pending, 0, true],
      [pending, WEEK - 1, true],
      [pending, WEEK, false],
      [again, WEEK + 299, true],
      [again, WEEK + 300, false],
      [{ ...pending, mailed_at: null }, 0, false],
    ] as const) {
      expect(confirmByLink(subscriber, NOW + seconds) !== undefined).toBe(isOpen)
    }
  })

  it('allows a repeated confirmation, but after unsubscribing none until the next request', () => {
    const subscribed = confirmSubscription(pending, NOW + 60)
    const unsubscribed = unsubscribe(subscribed, NOW + 120)
    expect(confirmByLink(subscribed, NOW + 10 * WEEK)).toBe(subscribed)
    expect(confirmByLink(unsubscribed, NOW + 120)).toBeUndefined()
    expect(confirmByLink(requestSubscription(unsubscribed, NOW + 180), NOW + 180)).toBeDefined()
  })
})
