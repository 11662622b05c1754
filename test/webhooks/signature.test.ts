// Both signatures of a delivery, compared with published values and verified by common libraries.
import { randomBytes } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../shared/webhooks/secret.ts'
import { signatureHeaders } from '../../shared/webhooks/signed-request.ts'

// The example of the Standard Webhooks libraries; the hex value is from `openssl dgst -sha256 -hmac
// <secret>`.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const vector = {
  body: '{"test": 2432232314}',
  deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
}
const vectorHeaders = {
  Signature: '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

const body =
  '{"event":"post.published","occurred_at":"2026-05-26T15:00:00+00:00","data":{"title":"Grüße 👋"}}'

describe('a signed delivery', () => {
  it('carries exactly the headers of the published example', () => {
    expect(signatureHeaders({ ...vector, secrets: [SECRET] })).toEqual(vectorHeaders)
  })

  it.each([
    ['standardwebhooks', StandardWebhook],
    ['svix', SvixWebhook],
  ])('is accepted by %s from npm, and rejected when changed', (_name, Webhook) => {
    const secret = newSecret(randomBytes)
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = signatureHeaders({ secrets: [secret], body, deliveryId: 'evt_1-7', timestampSeconds })
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
    expect(() => new Webhook(secret).verify(body.replace('published', 'deleted'), headers)).toThrow()
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2-7' })).toThrow()
    expect(() => new Webhook(newSecret(randomBytes)).verify(body, headers)).toThrow()
  })

  it('carries two signatures while a rotation overlaps, the new one first, and Signature by the old secret', () => {
    const secret = newSecret(randomBytes)
    const headers = signatureHeaders({ ...vector, secrets: [secret, SECRET] })
    const { 'webhook-signature': standard } = signatureHeaders({ ...vector, secrets: [secret] })
    const { 'webhook-signature': previous, ...others } = vectorHeaders
    expect(headers).toEqual({ ...others, 'webhook-signature': `${standard} ${previous}` })
  })
})
