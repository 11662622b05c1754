// A rotation of a secret: no receiver that gets the new secret during the overlap fails a verification.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeWebhook, rotateSecret } from '../../shared/webhooks/commands/webhooks.ts'
import { sentEvent } from '../../shared/webhooks/delivery.ts'
import {
  newSecret,
  rotatedWebhook,
  rotationEnd,
  sealSecret,
  secretsAt,
  withoutEndedSecret,
} from '../../shared/webhooks/secret.ts'
import { signedRequest } from '../../shared/webhooks/signed-request.ts'
import { findWebhook } from '../../shared/webhooks/store/webhooks.ts'
import { newWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { messageTo, newEvent, refOf, subscribe } from './subscriptions.ts'
import { isAccepted, type SignedDelivery, signerOf } from './verify-delivery.ts'
import { environment, startWorkers } from './workers.ts'

const START = 1_800_000_000
const ID = 7
const INPUT = { name: 'Site', url: 'https://a.example/', events: ['*' as const] }

const SECRETS = [1, 2, 3].map(n => newSecret(size => new Uint8Array(size).fill(n)))
const [FIRST = '', SECOND = '', THIRD = ''] = SECRETS

function sealed(secret: string): string {
  return sealSecret(environment, ID, secret)
}

const webhook = newWebhook({ id: ID, owner_id: 2, sealed_secret: sealed(FIRST) }, INPUT, START * 1000)

function rotate(before: WebhookRecord, secret: string, nowSeconds: number, overlapHours: number) {
  return rotatedWebhook(before, { sealedSecret: sealed(secret), nowSeconds, overlapHours })
}

function deliveryOf(record: WebhookRecord, nowMs: number): SignedDelivery {
  const event = newEvent({ happened_ms: nowMs })
  const ref = { event_id: event.id, webhook_id: ID, attempt: 1 }
  const { body, headers } = signedRequest({ environment, nowMs }, record, sentEvent(event), ref)
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { body: Buffer.from(body).toString(), headers: Object.fromEntries(lowered) }
}

describe('20 deliveries a second, during two rotations', () => {
  const HOURS = 0.01
  const OVERLAP_MS = HOURS * 3_600_000
  const PAUSE_MS = 3_000
  const STEP_MS = 50
  const firstMs = START * 1000 + PAUSE_MS
  const secondMs = firstMs + OVERLAP_MS + PAUSE_MS
  const once = rotate(webhook, SECOND, firstMs / 1000, HOURS)
  const twice = rotate(withoutEndedSecret(once, secondMs / 1000), THIRD, secondMs / 1000, HOURS)

  function storedAt(nowMs: number): WebhookRecord {
    if (nowMs < firstMs) return webhook
    return nowMs < secondMs ? once : twice
  }

  const endMs = secondMs + OVERLAP_MS + PAUSE_MS
  const times = Array.from({ length: (endMs - START * 1000) / STEP_MS }, (_, n) => START * 1000 + n * STEP_MS)
  const sent = times.map(nowMs => ({ nowMs, ...deliveryOf(storedAt(nowMs), nowMs) }))

  it('have a Signature with the old secret until the overlap ends, and with the new one from then on', () => {
    const signers = sent.map(delivery => signerOf(delivery, SECRETS))
    const expected = times.map(nowMs => {
      if (nowMs < firstMs + OVERLAP_MS) return FIRST
      return nowMs < secondMs + OVERLAP_MS ? SECOND : THIRD
    })
    expect(signers).toEqual(expected)
  })

  it('are accepted by a receiver that gets each new secret at any moment of its overlap', () => {
    const moment = fc.integer({ min: 0, max: OVERLAP_MS - 1 })
    fc.assert(
      fc.property(moment, moment, (first, second) => {
        const secretAt = (nowMs: number): string => {
          if (nowMs < firstMs + first) return FIRST
          return nowMs < secondMs + second ? SECOND : THIRD
        }
        const refused = sent.filter(delivery => !isAccepted(secretAt(delivery.nowMs), delivery))
        expect(refused.map(({ nowMs }) => nowMs)).toEqual([])
      }),
      { numRuns: 3, examples: [[0, OVERLAP_MS - 1]] },
    )
  })

  it('are refused by a receiver that takes the new secret before the rotation, or the old one after the overlap', () => {
    const at = (nowMs: number) => deliveryOf(storedAt(nowMs), nowMs)
    expect(isAccepted(SECOND, at(firstMs - 1))).toBe(false)
    expect(isAccepted(FIRST, at(firstMs + OVERLAP_MS - 1))).toBe(true)
    // Its record still has the old secret.
    const late = at(firstMs + OVERLAP_MS)
    expect(isAccepted(FIRST, late)).toBe(false)
    expect(late.headers['webhook-signature']).not.toContain(' ')
  })
})

describe('a rotation', () => {
  it('without an overlap leaves no trace of the old secret', () => {
    const rotated = rotate(webhook, SECOND, START, 0)
    expect(rotated).toEqual({ ...webhook, sealed_secret: rotated.sealed_secret })
    expect(secretsAt(environment, rotated, START)).toEqual([SECOND])
    expect(rotationEnd(rotated, START)).toBeUndefined()
  })

  it('during the overlap of another one throws CONFLICT, and is possible from its end on', () => {
    const rotated = rotate(webhook, SECOND, START, 1)
    const again = (nowSeconds: number) => rotate(rotated, THIRD, nowSeconds, 1)
    expect(() => again(START + 3_599)).toThrow(
      expect.objectContaining({
        code: 'CONFLICT',
        message: expect.stringContaining('until 2027-01-15T09:00:00+00:00'),
      }),
    )
    expect(signerOf(deliveryOf(again(START + 3_600), (START + 3_600) * 1000), SECRETS)).toBe(SECOND)
  })

  it('without an overlap ends the overlap of another one, and leaves no trace of its two secrets', () => {
    const ended = rotate(rotate(webhook, SECOND, START, 168), THIRD, START + 60, 0)
    expect(secretsAt(environment, ended, START + 60)).toEqual([THIRD])
    const delivery = deliveryOf(ended, (START + 60) * 1000)
    expect([FIRST, SECOND, THIRD].map(secret => isAccepted(secret, delivery))).toEqual([false, false, true])
    expect(signerOf(delivery, SECRETS)).toBe(THIRD)
    expect(rotationEnd(rotate(ended, FIRST, START + 61, 1), START + 61)).toBe(START + 61 + 3_600)
  })
})

describe('an old secret', () => {
  it('is erased a minute after the end, when no clock needs it any more', () => {
    const rotated = rotate(webhook, SECOND, START, 1)
    expect(withoutEndedSecret(rotated, START + 3_659)).toBe(rotated)
    const erased = withoutEndedSecret(rotated, START + 3_660)
    expect(erased).toEqual({ ...rotated, previous: undefined })
    expect(secretsAt(environment, erased, START)).toEqual([SECOND])
    expect(withoutEndedSecret(erased, START + 3_660)).toBe(erased)
  })
})

const workers = use(startWorkers)

const HOUR_MS = 3_600_000

it('the first delivery or change after the overlap erases the old secret', async () => {
  const receiver = await openSubscriber()
  const later = workers.openFunction()
  const stored = async (webhook: WebhookRecord) => {
    const record = await findWebhook(workers.table, refOf(webhook))
    return [record?.revision, record?.previous !== undefined]
  }
  const rotated = async () => {
    const webhook = await subscribe(workers.table, receiver.url)
    await rotateSecret(unitOfWorkOn(workers.table), environment, refOf(webhook), 1)
    await later.deliverBatch(batchOf(messageTo([webhook])))
    expect(await stored(webhook)).toEqual([2, true])
    return webhook
  }
  const [delivered, changed] = [await rotated(), await rotated()]
  const aheadMs = HOUR_MS + 61_000
  later.advance(aheadMs)
  for (let n = 0; n < 2; n++) await later.deliverBatch(batchOf(messageTo([delivered])))
  expect(await stored(delivered)).toEqual([3, false])
  const work = unitOfWorkOn(workers.table, Date.now() + aheadMs)
  await changeWebhook(work, refOf(changed), read => ({ ...read, name: 'Shop' }))
  expect(await stored(changed)).toEqual([3, false])
})
