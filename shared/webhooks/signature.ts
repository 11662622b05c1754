// The signatures of a delivery, by which a receiver verifies it. No I/O.
import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from './secret.ts'

export type Signable = {
  secret: string
  /** The secret before, while a rotation of secrets overlaps. */
  previousSecret?: string | undefined
  /** Exactly the bytes that are sent. */
  body: string | Uint8Array
  /** Without a dot, which separates the parts of the signed text. */
  deliveryId: string
  /** Time of the attempt. */
  timestampSeconds: number
}

/**
 * `Signature` signs the body with the older secret as shown. `webhook-signature` (Standard Webhooks) signs
 * `id.timestamp.body` with the decoded bytes of each, so that a receiver can reject a replayed delivery.
 */
export function signatureHeaders({ secret, previousSecret, body, deliveryId, timestampSeconds }: Signable) {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  if (!secrets.every(each => each.startsWith(SECRET_PREFIX))) {
    throw new Error(`A webhook secret must begin with ${SECRET_PREFIX}.`)
  }
  if (deliveryId.includes('.')) throw new Error(`A delivery id must not contain a dot: ${deliveryId}`)
  if (!Number.isInteger(timestampSeconds)) throw new Error(`Not in whole seconds: ${timestampSeconds}`)

  const standardSignature = (each: string): string => {
    const decoded = Buffer.from(each.slice(SECRET_PREFIX.length), 'base64')
    const hmac = createHmac('sha256', decoded).update(`${deliveryId}.${timestampSeconds}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  }
  return {
    Signature: createHmac('sha256', previousSecret ?? secret)
      .update(body)
      .digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map(standardSignature).join(' '),
  }
}
