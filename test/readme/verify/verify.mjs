// Verifies a webhook by each of its two signatures. Copy the functions into your receiver; the lines below them
// try them out on a body from stdin, with secrets and headers from the environment, as CGI names them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { buffer } from 'node:stream/consumers'

const TOLERANCE_SECONDS = 300

/**
 * Standard Webhooks: also refuses a request that is repeated later. `body` is a Buffer with the raw bytes,
 * `secrets` has one secret, or both during a rotation. One signature that matches is enough.
 */
export function isGenuine(body, headers, secrets, nowSeconds = Date.now() / 1000) {
  const timestamp = headers['webhook-timestamp'] ?? ''
  const isRecent = /^\d+$/.test(timestamp) && Math.abs(nowSeconds - Number(timestamp)) <= TOLERANCE_SECONDS
  if (!isRecent) return false
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${timestamp}.`), body])
  const signatures = (headers['webhook-signature'] ?? '').split(' ').filter(text => text.startsWith('v1,'))
  return secrets.some(secret => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(signed).digest()
    return signatures.some(text => isEqual(Buffer.from(text.slice('v1,'.length), 'base64'), expected))
  })
}

/** The header `Signature`: the HMAC of the body alone, keyed with the secret as it was shown. */
export function hasSignature(body, headers, secrets) {
  const given = Buffer.from(headers.signature ?? '', 'hex')
  return secrets.some(secret => isEqual(given, createHmac('sha256', secret).update(body).digest()))
}

/** Takes the same time wherever the bytes differ, since the time must not tell how much of a guess is right. */
function isEqual(given, expected) {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const { env } = process
const headers = {
  'webhook-id': env.HTTP_WEBHOOK_ID,
  'webhook-timestamp': env.HTTP_WEBHOOK_TIMESTAMP,
  'webhook-signature': env.HTTP_WEBHOOK_SIGNATURE,
  signature: env.HTTP_SIGNATURE,
}
const secrets = (env.WEBHOOK_SECRETS ?? '').split(' ')
const body = await buffer(process.stdin)
console.log(`webhook-signature ${isGenuine(body, headers, secrets) ? 'matches' : 'does not match'}`)
console.log(`Signature ${hasSignature(body, headers, secrets) ? 'matches' : 'does not match'}`)
