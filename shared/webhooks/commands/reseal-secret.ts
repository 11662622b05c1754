// Seals the secrets of a subscription again, after the key was rotated. The secrets stay the same.
import { currentKey } from '../../aws/secret-value.ts'
import { required } from '../../runtime/environment.ts'
import type { Table } from '../../table/client.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { sealedSecretsOf, withSealedSecrets } from '../rotation.ts'
import { keyNumberOf } from '../seal.ts'
import { openSecrets, type SealingEnvironment, sealSecret } from '../secret.ts'
import { findWebhook, type WebhookRef } from '../store/webhooks.ts'
import type { WebhookRecord } from '../webhook.ts'
import { putSecret } from './erase-secrets.ts'
import { raiseVersion } from './version.ts'

/** Whether a secret of the subscription is sealed with another key than the current one. */
export function isSealedBefore(environment: SealingEnvironment, webhook: WebhookRecord): boolean {
  const { id } = currentKey(required(environment, 'PRIVATE_KEY'))
  const { current, previous } = sealedSecretsOf(webhook)
  return [current, previous?.secret].some(sealed => sealed !== undefined && keyNumberOf(sealed) !== id)
}

/** Returns whether anything had to be sealed again. Throws if a secret was sealed with an unknown key. */
export function resealSecret(
  table: Table,
  environment: SealingEnvironment,
  ref: WebhookRef,
): Promise<boolean> {
  return retryOnConflict(async () => {
    const webhook = await findWebhook(table, ref)
    if (!webhook || !isSealedBefore(environment, webhook)) return false
    const { current, previous } = openSecrets(environment, webhook)
    const seal = (secret: string) => sealSecret(environment, webhook.id, secret)
    const sealed = {
      current: seal(current),
      previous: previous && { ...previous, secret: seal(previous.secret) },
    }
    await table.transact([putSecret(withSealedSecrets(webhook, sealed)), raiseVersion()])
    return true
  })
}
