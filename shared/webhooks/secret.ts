// The secret of a subscription: created, encrypted for the table, decrypted to sign a delivery.
import { type Environment, required } from '../runtime/environment.ts'
import { type Secrets, sealedSecretsOf } from './rotation.ts'
import { seal, unseal } from './seal.ts'
import type { WebhookRecord } from './webhook.ts'

export const SECRET_PREFIX = 'whsec_'

const SECRET_BYTES = 32

/** What sealing and opening a secret needs of a function's environment. */
export type SealingEnvironment = Pick<Environment, 'WEBHOOK_KEY'>

/** Returns `whsec_` and the base64 of 32 bytes, the format of Standard Webhooks. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

/** The number of the only key. A rotation of this key adds a second one. */
const KEY_NUMBER = 1

export function sealSecret(environment: SealingEnvironment, id: number, secret: string): string {
  return seal(secret, { key: required(environment, 'WEBHOOK_KEY'), keyNumber: KEY_NUMBER, id })
}

/** Throws if the key is missing, or a secret was sealed with another one. */
export function openSecrets(environment: SealingEnvironment, webhook: WebhookRecord): Secrets {
  const keys = new Map([[KEY_NUMBER, required(environment, 'WEBHOOK_KEY')]])
  const open = (sealed: string) => unseal(sealed, { keys, id: webhook.id })
  const { current, previous } = sealedSecretsOf(webhook)
  return {
    current: open(current),
    previous: previous && { ...previous, secret: open(previous.secret) },
  }
}
