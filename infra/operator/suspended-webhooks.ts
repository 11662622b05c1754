// Webhooks are suspended while their owner is banned or has no valid admin token, and tokens of builds rest.
import { findAdmin, listTokens } from '../../shared/accounts/store/tokens.ts'
import { isBanned } from '../../shared/accounts/user.ts'
import { BUILDS_READ } from '../../shared/http/audience.ts'
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

/** The tokens with `builds:read` of the user that count for nothing, because the user is not an admin. */
export async function countResting(
  { target: { table }, nowSeconds }: Context,
  userId: number,
): Promise<number> {
  const settings = await readSettings(table)
  if (await findAdmin(table, userId, { nowSeconds, settings })) return 0
  return (await listTokens(table, userId, settings, nowSeconds)).filter(({ abilities }) =>
    abilities.includes(BUILDS_READ),
  ).length
}

export function restingLines(resting: number, email: string): string[] {
  if (resting === 0) return []
  const what = resting === 1 ? '1 token for builds is' : `${resting} tokens for builds are`
  return [`${what} ignored until ${email} has an admin token. Create one with: token create`]
}

export function suspendedLines(suspended: number, email: string): string[] {
  if (suspended === 0) return []
  const what = suspended === 1 ? '1 webhook subscription is' : `${suspended} webhook subscriptions are`
  return [`${what} suspended until ${email} has an admin token. Create one with: token create`]
}
