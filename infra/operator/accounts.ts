// Finds the account that a command names, and tells what rests while it has no admin token.
import * as z from 'zod/mini'
import { findAdmin, listTokens } from '../../shared/accounts/store/tokens.ts'
import { findUserIdByEmail, getUser } from '../../shared/accounts/store/users.ts'
import type { UsedToken } from '../../shared/accounts/token.ts'
import { tokenView, type User } from '../../shared/accounts/user.ts'
import { BUILDS_READ } from '../../shared/http/audience.ts'
import { readSettings } from '../../shared/site/store.ts'
import type { Table } from '../../shared/table/client.ts'
import { listWebhooks } from '../../shared/webhooks/store/webhooks.ts'
import { type Context, OperatorError, value } from './command.ts'

export const EMAIL = value('EMAIL', 'an address, in upper or lower case', z.string('Is required.'))

/** Throws OperatorError if no account has the address. */
export async function userByEmail(table: Table, email: string): Promise<User> {
  const id = await findUserIdByEmail(table, email.trim())
  if (id === undefined) throw new OperatorError(`There is no user ${email}. See GET /api/v1/admin/users`)
  return await getUser(table, id)
}

/** A token as its owner sees it; no request was made with it. */
export function viewOfToken(token: UsedToken) {
  const { is_current: _, ...view } = tokenView(token, token.id)
  return view
}

/**
 * What rests while the account has no admin token: only an admin's webhooks get events, and only an admin's
 * tokens for builds count.
 */
export async function restingOf({ target: { table }, nowSeconds }: Context, { id, email }: User) {
  const settings = await readSettings(table)
  if (await findAdmin(table, id, { nowSeconds, settings })) return []
  const [subscriptions, tokens] = await Promise.all([
    listWebhooks(table, id),
    listTokens(table, id, settings, nowSeconds),
  ])
  const resting = [
    ...(subscriptions.some(({ is_active }) => is_active) ? ['webhook subscriptions'] : []),
    ...(tokens.some(({ abilities }) => abilities.includes(BUILDS_READ)) ? ['tokens for builds'] : []),
  ]
  return resting.map(what => `The ${what} of ${email} rest until it has an admin token: token create`)
}
