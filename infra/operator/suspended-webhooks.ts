// Counts the webhooks that a command suspends by revoking the last admin token of their owner.
import { findAdmin } from '../../shared/accounts/store/admins.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import { listWebhooks } from '../../shared/webhooks/store/webhooks.ts'
import type { Context } from './command.ts'

/** The active subscriptions of the user, if the user is not an admin; otherwise 0. */
export async function countSuspended(
  { target: { table }, nowSeconds }: Context,
  userId: number,
): Promise<number> {
  const settings = readSettings(table)
  const [admin, all] = await Promise.all([
    findAdmin(table, userId, { nowSeconds, settings }),
    listWebhooks(table, userId),
  ])
  return admin ? 0 : all.filter(({ webhook }) => webhook.is_active).length
}

export function suspendedLines(suspended: number, email: string): string[] {
  if (suspended === 0) return []
  const what = suspended === 1 ? '1 webhook subscription is' : `${suspended} webhook subscriptions are`
  return [`${what} suspended until ${email} has an admin token. Create one with: token create`]
}
