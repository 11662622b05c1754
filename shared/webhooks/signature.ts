// How a receiver knows that a delivery is ours: the secret and the two signatures made with it.
import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from './secret.ts'

export type Signable = {
  secret: string
  /** The very bytes that are sent. */
  body: string | Uint8Array
  /** Stable for event and subscription; without a dot, which separates the parts of the signed text. */
  deliveryId: string
  /** Unix time of the attempt. */
  timestampSeconds: number
}

/**
 * `Signature` is keyed with the secret as shown, prefix and all, over the body alone.
 * `webhook-signature` (Standard Webhooks 1.0.0) is keyed with the decoded bytes, over `id.timestamp.body`, so that
 * a captured delivery cannot be played back later.
 */
export function signatureHeaders({ secret, body, deliveryId, timestampSeconds }: Signable) {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`A webhook secret begins with ${SECRET_PREFIX}`)
  if (deliveryId.includes('.')) throw new Error(`A delivery id has no dot: ${deliveryId}`)
  if (!Number.isInteger(timestampSeconds)) throw new Error(`Not whole seconds: ${timestampSeconds}`)

  const decoded = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const standard = createHmac('sha256', decoded).update(`${deliveryId}.${timestampSeconds}.`).update(body)
  return {
    Signature: createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  }
}
