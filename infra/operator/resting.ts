// What an account that lost its last admin token means for its webhook subscriptions: they rest.
import { findAdmin } from '../../shared/accounts/store/admins.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import { listWebhooks } from '../../shared/webhooks/store/webhooks.ts'
import type { Context } from './command.ts'

/** The active subscriptions of a user who is no admin now. */
export async function countResting(
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

export function restingLines(resting: number, email: string): string[] {
  return resting === 0
    ? []
    : [
        `${resting === 1 ? '1 webhook subscription rests' : `${resting} webhook subscriptions rest`} until ${email} has an admin token again: token create.`,
      ]
}
