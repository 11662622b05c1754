// The rules of newsletter subscribers.
import { describe, expect, it } from 'vitest'
import {
  confirmSubscription,
  isConfirmable,
  ownSubscription,
  requestSubscription,
  unknownSubscriber,
  unsubscribe,
} from '../../shared/newsletter/subscriber.ts'

const NOW = 1_700_000_000
const WEEK = 7 * 24 * 60 * 60
const pending = { ...requestSubscription(unknownSubscriber('ada@example.com', NOW), NOW), id: 5 }
const subscribed = confirmSubscription(pending, NOW + 60)
const unsubscribed = unsubscribe(subscribed, NOW + 120)

describe('requestSubscription', () => {
  it('orders a mail, and another after five minutes', () => {
    expect(pending).toMatchObject({ status: 'pending', mailed_at: NOW })
    expect(requestSubscription(pending, NOW + 299)).toBe(pending)
    expect(requestSubscription(pending, NOW + 300)).toEqual({ ...pending, mailed_at: NOW + 300 })
  })

  it('orders a mail after one that a clock ordered an hour ahead', () => {
    const ahead = { ...pending, mailed_at: NOW + 3_600 }
    expect(requestSubscription(ahead, NOW)).toEqual(pending)
    expect(requestSubscription({ ...pending, mailed_at: NOW + 2 }, NOW).mailed_at).toBe(NOW + 2)
  })

  it('changes nothing for a subscribed address', () => {
    expect(requestSubscription(subscribed, NOW + WEEK)).toBe(subscribed)
  })

  it('makes an unsubscribed address pending again, without more frequent mails', () => {
    expect(requestSubscription(unsubscribed, NOW + 299)).toEqual({ ...unsubscribed, status: 'pending' })
    expect(requestSubscription(unsubscribed, NOW + 300)).toEqual({
      ...unsubscribed,
      status: 'pending',
      mailed_at: NOW + 300,
    })
  })
})

describe('isConfirmable', () => {
  it('allows a confirmation for seven days from the last mail', () => {
    const again = requestSubscription(pending, NOW + 300)
    for (const [subscriber, seconds, isOpen] of [
      [pending, 0, true],
      [pending, WEEK - 1, true],
      [pending, WEEK, false],
      [again, WEEK + 299, true],
      [again, WEEK + 300, false],
    ] as const) {
      expect(isConfirmable(subscriber, NOW + seconds)).toBe(isOpen)
    }
  })

  it('allows a repeated confirmation, but after unsubscribing none until the next request', () => {
    expect(isConfirmable(subscribed, NOW + 10 * WEEK)).toBe(true)
    expect(confirmSubscription(subscribed, NOW + 10 * WEEK)).toBe(subscribed)
    expect(isConfirmable(unsubscribed, NOW + 120)).toBe(false)
    expect(isConfirmable(requestSubscription(unsubscribed, NOW + 180), NOW + 180)).toBe(true)
  })

  it('does not allow a confirmation without a mail', () => {
    expect(isConfirmable({ ...pending, mailed_at: null }, NOW)).toBe(false)
  })
})

describe('the dates of a subscriber', () => {
  const dates = ({ subscribed_at, unsubscribed_at }: typeof pending) => [subscribed_at, unsubscribed_at]

  it('are those of the last confirmation and of the unsubscription since then', () => {
    expect(dates(pending)).toEqual([null, null])
    expect(dates(subscribed)).toEqual([NOW + 60, null])
    expect(dates(unsubscribed)).toEqual([NOW + 60, NOW + 120])
    expect(unsubscribe(unsubscribed, NOW + 180)).toBe(unsubscribed)
    expect(dates(requestSubscription(unsubscribed, NOW + 180))).toEqual([NOW + 60, NOW + 120])
    expect(dates(confirmSubscription(unsubscribed, NOW + 240))).toEqual([NOW + 240, null])
    expect(dates(unsubscribe(pending, NOW + 60))).toEqual([null, NOW + 60])
  })

  it('are both null for an address that never subscribed', () => {
    expect(ownSubscription(unknownSubscriber('ada@example.com', NOW))).toEqual({
      id: null,
      email: 'ada@example.com',
      status: 'unsubscribed',
      subscribed_at: null,
      unsubscribed_at: null,
    })
  })
})
