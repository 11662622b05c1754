// Checks what waits: messages in the outbox, and webhook secrets that a previous key has sealed.
import { timeOfEventId } from '../../../shared/events/message.ts'
import { sweepOutbox } from '../../../shared/events/outbox.ts'
import { type Key, kindOf } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { startDeadline } from '../../../shared/table/retrying.ts'
import { changeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { isSealedBefore, resealedWebhook } from '../../../shared/webhooks/secret.ts'
import { findWebhook, listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import type { WebhookRecord } from '../../../shared/webhooks/webhook.ts'
import { type Context, unitOfWorkOf } from '../command.ts'
import type { Problem } from './compare.ts'

/** The sweep runs every minute. */
const OVERDUE_MS = 120_000
const SWEEP_MS = 40_000

/** A row of a message that the sweep should have sent. */
export function isOverdue({ pk, sk }: Key, nowMs: number): boolean {
  return kindOf(pk) === ('OUTBOX' satisfies Kind) && nowMs - timeOfEventId(sk) >= OVERDUE_MS
}

/** `overdue`: as the scan found them. Without a service they wait for it. */
export async function checkOutbox(
  { target: { table, sender, isIdle }, nowMs }: Context,
  overdue: Key[],
  repair: boolean,
): Promise<Problem[]> {
  if (isIdle) return []
  const rows = await table.findMany(overdue)
  if (repair) {
    await sweepOutbox({ table, sender, log: () => undefined, nowMs, hasTime: startDeadline(SWEEP_MS) })
  }
  const left = new Set((await table.findMany(overdue)).map(({ queue }) => queue))
  return [...Map.groupBy(rows, ({ queue }) => queue)].map(([queue, { length }]) => ({
    subject: 'outbox',
    message: `${length} messages for the queue ${queue} have waited for more than ${OVERDUE_MS / 60_000} minutes.`,
    isRepaired: repair && !left.has(queue),
  }))
}

/** The subscriptions with a secret that another key than the current one has sealed. */
export async function sealedBefore({ target }: Pick<Context, 'target'>): Promise<WebhookRecord[]> {
  const entries = await listFanOutEntries(target.table)
  if (entries.length === 0) return []
  const environment = { PRIVATE_KEY: await target.privateKey() }
  const sealed: WebhookRecord[] = []
  for (const { owner_id: ownerId, id } of entries) {
    const webhook = await findWebhook(target.table, { ownerId, id })
    if (webhook && isSealedBefore(environment, webhook)) sealed.push(webhook)
  }
  return sealed
}

/** What the previous key has sealed is well, and a repair seals it again, since that key will be removed. */
export async function checkSealed(context: Context, repair: boolean): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const webhook of await sealedBefore(context)) {
    const { id, owner_id: ownerId } = webhook
    const environment = { PRIVATE_KEY: await context.target.privateKey() }
    const subject = `webhook ${id}`
    try {
      resealedWebhook(environment, webhook)
      if (!repair) continue
      await changeWebhook(unitOfWorkOf(context), { ownerId, id }, stored =>
        resealedWebhook(environment, stored),
      )
      problems.push({ subject, message: 'its secret is sealed with a previous key.', isRepaired: true })
    } catch (error) {
      if (!/cannot be decrypted/.test(String(error))) throw error
      const message = `its secret was sealed with a removed key: POST /api/v1/admin/webhooks/${id}/rotate-secret with overlap_hours 0, and set its headers again if it has some`
      problems.push({ subject, message, isRepaired: false })
    }
  }
  return problems
}
