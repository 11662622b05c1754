// What the operator set for webhooks: the key that seals secrets, and what deliveries may reach.
import { type Environment, required } from '../lambda/environment.ts'
import type { AddressPolicy } from './address.ts'
import { seal, unseal } from './seal.ts'
import type { WebhookRecord } from './webhook.ts'

/** The number of the one key there is; a second one begins a rotation. */
const KEY_NUMBER = 1

export const sealSecret = (environment: Environment, id: number, secret: string): string =>
  seal(secret, { key: required(environment, 'WEBHOOK_KEY'), keyNumber: KEY_NUMBER, id })

/** Throws when the key is missing or another one than the secret was sealed with. */
export const openSecret = (environment: Environment, { id, sealed_secret }: WebhookRecord): string =>
  unseal(sealed_secret, { keys: new Map([[KEY_NUMBER, required(environment, 'WEBHOOK_KEY')]]), id })

export const policyOf = (environment: Environment): AddressPolicy => ({
  allowLoopback: environment.ALLOW_LOOPBACK_WEBHOOKS,
  allowedHosts: environment.ALLOWED_WEBHOOK_HOSTS,
})
