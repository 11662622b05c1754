// The secret of a subscription: created, encrypted for the table, decrypted to sign a delivery.
import { type Environment, required } from '../runtime/environment.ts'
import { seal, unseal } from './seal.ts'
import type { WebhookRecord } from './webhook.ts'

export const SECRET_PREFIX = 'whsec_'

const SECRET_BYTES = 32

/** Returns `whsec_` and the base64 of 32 bytes, the format of Standard Webhooks. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

/** The number of the only key. A rotation adds a second one. */
const KEY_NUMBER = 1

export function sealSecret(environment: Environment, id: number, secret: string): string {
  return seal(secret, { key: required(environment, 'WEBHOOK_KEY'), keyNumber: KEY_NUMBER, id })
}

/** Throws if the key is missing, or the secret was sealed with another one. */
export function openSecret(environment: Environment, { id, sealed_secret }: WebhookRecord): string {
  return unseal(sealed_secret, { keys: new Map([[KEY_NUMBER, required(environment, 'WEBHOOK_KEY')]]), id })
}
