// The rules of subscriptions.
import { describe, expect, it } from 'vitest'
import { attemptOf, deliveryView } from '../../shared/webhooks/delivery.ts'
import {
  changedWebhook,
  newWebhook,
  shouldDeliver,
  WebhookRecord,
  webhookView,
} from '../../shared/webhooks/webhook.ts'

const START_MS = 1_700_000_000_500
const webhook = newWebhook(
  { id: 4, owner_id: 2, sealed_secret: '1.sealed' },
  { name: 'Site', url: 'https://a.example/', events: ['post.published'] },
  START_MS,
)
/** By then no moment of the subscription is to come. */
const laterMs = 1_900_000_000_000
const published = { event: 'post.published', happened_ms: START_MS }

describe('a record that a newer version stored', () => {
  const stored = { ...webhook, events: ['post.archived', 'post.published'] }

  it('keeps names of events that this version does not know, and does not show them', () => {
    const changed = changedWebhook(WebhookRecord.parse(stored), { name: 'Shop' }, START_MS)
    expect(changed.events).toEqual(['post.archived', 'post.published'])
    expect(webhookView(changed).events).toEqual(['post.published'])
    expect(shouldDeliver(stored, published, laterMs)).toBe(true)
  })

  it('of an attempt is shown without a code of an error that this version does not know', () => {
    const attempt = {
      sk: 'evt_1',
      webhook_id: 4,
      owner_id: 2,
      event_id: 'evt_1',
      event: 'post.archived',
      occurred_at: '2026-05-26T15:00:00+00:00',
      request_id: 'request-1',
      attempt: 1,
      status: 'failed',
      attempted_ms: START_MS,
      expires: 1_800_000_000,
      error: 'answer_too_long',
      error_detail: 'The answer is too long.',
    }
    expect(deliveryView(attemptOf(attempt, laterMs))).toMatchObject({
      status: 'failed',
      error: null,
      error_detail: 'The answer is too long.',
    })
  })
})

describe('shouldDeliver', () => {
  it('tolerates a clock that was up to 2 s ahead when the subscription was made', () => {
    const earlier = (ms: number) => ({ ...published, happened_ms: START_MS - ms })
    const deliver = (ms: number) => shouldDeliver(webhook, earlier(ms), START_MS - ms)
    expect([1, 2_000, 2_001, 3_600_000].map(deliver)).toEqual([true, true, false, false])
  })

  it('returns false for an event that fired before the end of the last pause', () => {
    const paused = changedWebhook(webhook, { is_active: false }, START_MS + 10)
    const resumed = changedWebhook(paused, { is_active: true }, START_MS + 20)
    expect(shouldDeliver(resumed, { ...published, happened_ms: START_MS + 5 }, laterMs)).toBe(false)
    expect(shouldDeliver(resumed, { ...published, happened_ms: START_MS + 15 }, laterMs)).toBe(false)
    expect(shouldDeliver(resumed, { ...published, happened_ms: START_MS + 20 }, laterMs)).toBe(true)
  })
})

describe('changedWebhook', () => {
  it('changes only the members of the change', () => {
    const change = { name: 'Shop', url: 'https://b.example/', events: ['*' as const] }
    expect(changedWebhook(webhook, change, START_MS + 9)).toEqual({ ...webhook, ...change })
    expect(changedWebhook(webhook, {}, START_MS + 9)).toEqual(webhook)
  })

  it('keeps the start of an active subscription that is activated again', () => {
    expect(changedWebhook(webhook, { is_active: true }, START_MS + 9)).toEqual(webhook)
  })
})
