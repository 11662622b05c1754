// The secret of a subscription: created, encrypted for the table, decrypted to sign a delivery.
import { currentKey, requireKey, slotsIn } from '../aws/secret-value.ts'
import { type Environment, required } from '../runtime/environment.ts'
import { type Secrets, sealedSecretsOf } from './rotation.ts'
import { keyNumberOf, seal, unseal } from './seal.ts'
import type { WebhookRecord } from './webhook.ts'

export const SECRET_PREFIX = 'whsec_'

const SECRET_BYTES = 32

/** What sealing and opening a secret needs of a function's environment. */
export type SealingEnvironment = Pick<Environment, 'PRIVATE_KEY'>

/** Returns `whsec_` and the base64 of 32 bytes, the format of Standard Webhooks. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

export function sealSecret(environment: SealingEnvironment, id: number, secret: string): string {
  const { id: keyNumber, key } = currentKey(required(environment, 'PRIVATE_KEY'))
  return seal(secret, { key, keyNumber, id })
}

/** Throws if the key is missing, or a secret was sealed with another one. */
export function openSecrets(environment: SealingEnvironment, webhook: WebhookRecord): Secrets {
  const value = required(environment, 'PRIVATE_KEY')
  const { current: sealing, previous: replaced } = slotsIn(value)
  const keys = new Map([sealing, ...(replaced ? [replaced] : [])].map(({ id, key }) => [id, key]))
  const open = (sealed: string) => {
    const missing = new Error(
      `The secret of webhook ${webhook.id} was sealed with a key that is not configured.`,
    )
    requireKey(value, keyNumberOf(sealed), missing)
    return unseal(sealed, { keys, id: webhook.id })
  }
  const { current, previous } = sealedSecretsOf(webhook)
  return {
    current: open(current),
    previous: previous && { ...previous, secret: open(previous.secret) },
  }
}
