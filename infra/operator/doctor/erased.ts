// Checks that nothing is left of erased users: a request under way may have written after the erasure.
import * as z from 'zod/mini'
import { findUser } from '../../../shared/accounts/store/users.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, pendingKey, webhooksOwnedKey } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { removeOwned, removeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import type { Problem } from './problem.ts'

/** An erasure removes the subscriptions before the account, so those of a missing account are left over. */
export async function checkWebhookOwner(
  context: Context,
  ownerId: number,
  repair: boolean,
): Promise<Problem[]> {
  const { table } = context.target
  if (await findUser(table, ownerId)) return []
  const all = await listWebhooks(table, ownerId)
  const hasCounter = await exists(table, webhooksOwnedKey(ownerId))
  if (all.length === 0 && !hasCounter) return []
  if (repair) {
    for (const { webhook } of all) await removeWebhook(unitOfWorkOf(context), { ownerId, id: webhook.id })
    await removeOwned(table, ownerId)
  }
  return [leftover(ownerId, `${all.length} webhook subscriptions, or their number, are`, repair)]
}

export async function checkPendingOwner(
  { target: { table } }: Context,
  userId: number,
  repair: boolean,
): Promise<Problem[]> {
  const key = pendingKey(userId)
  if ((await findUser(table, userId)) || !(await exists(table, key))) return []
  if (repair) await table.removeMany([key])
  return [leftover(userId, 'the record of pending comments is', repair)]
}

async function exists(table: Table, key: Key): Promise<boolean> {
  return (await table.findMany([key])).length > 0
}

function leftover(userId: number, what: string, isRepaired: boolean): Problem {
  return { subject: `user ${userId}`, message: `does not exist, but ${what} left.`, isRepaired }
}

const Unfinished = z.object({ id: z.int(), email: z.string(), erasing_since: z.int() })

/** Accounts whose erasure has begun. Only the command can finish it, because it knows its options. */
export function unfinishedErasures(items: Item[]): Problem[] {
  return items.flatMap(item => {
    if (kindOf(item.pk) !== ('USER' satisfies Kind)) return []
    const { data } = Unfinished.safeParse(item)
    if (!data) return []
    const message = `its erasure began at ${isoTime(data.erasing_since)} and has not ended. Unless it still runs, finish it: user erase ${data.email} --yes`
    return [{ subject: `user ${data.id}`, message, isRepaired: false }]
  })
}
