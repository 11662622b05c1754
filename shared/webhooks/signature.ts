// The two signatures of a delivery, by which a receiver verifies it. No I/O.
import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from './secret.ts'

export type Signable = {
  secret: string
  /** Exactly the bytes that are sent. */
  body: string | Uint8Array
  /** Without a dot, which separates the parts of the signed text. */
  deliveryId: string
  /** Time of the attempt. */
  timestampSeconds: number
}

/**
 * `Signature` signs the body with the secret as shown. `webhook-signature` (Standard Webhooks) signs
 * `id.timestamp.body` with its decoded bytes, so that a receiver can reject a replayed delivery.
 */
export function signatureHeaders({ secret, body, deliveryId, timestampSeconds }: Signable) {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`A webhook secret must begin with ${SECRET_PREFIX}.`)
  if (deliveryId.includes('.')) throw new Error(`A delivery id must not contain a dot: ${deliveryId}`)
  if (!Number.isInteger(timestampSeconds)) throw new Error(`Not in whole seconds: ${timestampSeconds}`)

  const decoded = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const standard = createHmac('sha256', decoded).update(`${deliveryId}.${timestampSeconds}.`).update(body)
  return {
    Signature: createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  }
}
