// Seals the secrets of all subscriptions with the current key. After a kill, another run continues.

import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { isSealedBefore, resealSecret } from '../../../shared/webhooks/commands/reseal-secret.ts'
import { findWebhook, listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'

export type Resealed = {
  subscriptions: number
  resealed: number
  /** Subscriptions whose secret was sealed with a key that was removed. */
  unreadable: number[]
}

const AT_ONCE = 8

export async function resealAll({ target, progress }: Context, value: string): Promise<Resealed> {
  const { table } = target
  const entries = await listFanOutEntries(table)
  const unreadable: number[] = []
  let [done, resealed] = [0, 0]
  await mapConcurrently(entries, AT_ONCE, async ({ owner_id: ownerId, id }) => {
    const isResealed = await resealSecret(table, { WEBHOOK_KEY: value }, { ownerId, id }).catch(error => {
      if (!/cannot be decrypted|is not configured|is damaged/.test(String(error))) throw error
      unreadable.push(id)
      return false
    })
    if (isResealed) resealed++
    progress.show(`Sealed ${++done} of ${entries.length} subscriptions`)
  })
  return { subscriptions: entries.length, resealed, unreadable: unreadable.sort((a, b) => a - b) }
}

/** How many subscriptions have a secret that another key than the current one has sealed. */
export async function countSealedBefore({ target }: Context, value: string): Promise<number> {
  const { table } = target
  let count = 0
  await mapConcurrently(await listFanOutEntries(table), AT_ONCE, async ({ owner_id: ownerId, id }) => {
    const webhook = await findWebhook(table, { ownerId, id })
    if (webhook && isSealedBefore({ WEBHOOK_KEY: value }, webhook)) count++
  })
  return count
}
