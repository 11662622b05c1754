// What the operator set for webhooks: the key that seals secrets, and what deliveries may reach.
import { type Environment, required } from '../runtime/environment.ts'
import type { AddressPolicy } from './address.ts'
import { seal, unseal } from './seal.ts'
import type { WebhookRecord } from './webhook.ts'

/** The number of the one key there is; a second one begins a rotation. */
const KEY_NUMBER = 1

export function sealSecret(environment: Environment, id: number, secret: string): string {
  return seal(secret, { key: required(environment, 'WEBHOOK_KEY'), keyNumber: KEY_NUMBER, id })
}

/** Throws when the key is missing or another one than the secret was sealed with. */
export function openSecret(environment: Environment, { id, sealed_secret }: WebhookRecord): string {
  return unseal(sealed_secret, { keys: new Map([[KEY_NUMBER, required(environment, 'WEBHOOK_KEY')]]), id })
}

export function policyOf(environment: Environment): AddressPolicy {
  return {
    allowLoopback: environment.ALLOW_LOOPBACK_WEBHOOKS,
    allowedHosts: environment.ALLOWED_WEBHOOK_HOSTS,
  }
}
