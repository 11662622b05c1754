// The two signatures of a delivery, computed as a receiver does.
import { createHmac } from 'node:crypto'
import type { Delivery } from './receiver.ts'

/** Header `Signature`: over the received bytes, keyed with the secret as it is shown. */
export function signatureOf(raw: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(raw).digest('hex')
}

/** Header `webhook-signature` of Standard Webhooks. */
export function standardSignatureOf({ raw, headers }: Delivery, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  return `v1,${createHmac('sha256', key).update(signed).update(raw).digest('base64')}`
}
