// Seals webhook secrets again that a previous key of the service has sealed.
import { isSealedBefore, resealSecret } from '../../../shared/webhooks/commands/reseal-secret.ts'
import { findWebhook, listFanOutEntries, type WebhookRef } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import type { Problem } from './problem.ts'

/** The subscriptions with a secret that another key than the current one has sealed. */
export async function sealedBefore({ target }: Pick<Context, 'target'>): Promise<WebhookRef[]> {
  const entries = await listFanOutEntries(target.table)
  if (entries.length === 0) return []
  const environment = { PRIVATE_KEY: await target.privateKey() }
  const refs: WebhookRef[] = []
  for (const { owner_id: ownerId, id } of entries) {
    const webhook = await findWebhook(target.table, { ownerId, id })
    if (webhook && isSealedBefore(environment, webhook)) refs.push({ ownerId, id })
  }
  return refs
}

/** What the previous key has sealed is well until that key is removed. */
export async function checkSealed(context: Context, repair: boolean): Promise<Problem[]> {
  const { target } = context
  const problems: Problem[] = []
  for (const ref of await sealedBefore(context)) {
    const subject = `webhook ${ref.id}`
    try {
      if (repair) await resealSecret(target.table, { PRIVATE_KEY: await target.privateKey() }, ref)
      const message = 'its secret is sealed with a previous key.'
      problems.push({ subject, message, isRepaired: repair, isQueued: !repair })
    } catch (error) {
      if (!/cannot be decrypted|is not configured|is damaged/.test(String(error))) throw error
      const message = `its secret was sealed with a removed key: webhooks rotate-secret ${ref.id} --overlap-hours 0`
      problems.push({ subject, message, isRepaired: false })
    }
  }
  return problems
}
