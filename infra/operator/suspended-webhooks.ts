// Webhooks are suspended while their owner is banned or has no valid admin token.
import { findAdmin } from '../../shared/accounts/store/admins.ts'
import { isBanned } from '../../shared/accounts/user.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import { listWebhooks } from '../../shared/webhooks/store/webhooks.ts'
import type { Context } from './command.ts'

/** Whether nothing is delivered to the subscriptions of the user. */
export async function isSuspended({ target: { table }, nowSeconds }: Context, userId: number) {
  const admin = await findAdmin(table, userId, { nowSeconds, settings: readSettings(table) })
  return admin === undefined || isBanned(admin, nowSeconds)
}

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
