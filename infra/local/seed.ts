// Creates the owner's account and tokens: in the table, not by requests.
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser, EmailTaken, putPassword } from '../../shared/accounts/commands/users.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { findPasswordHash, findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { parseToken } from '../../shared/accounts/token.ts'
import type { Ability } from '../../shared/http/audience.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Owner } from './secrets.ts'

type SeedOptions = {
  table: Table
  /** The tokens are missing until the first start has issued them. */
  owner: Owner
  /** Whether this is the first start on the state, or a repetition of an interrupted first start. */
  first: boolean
}

export type OwnerWithTokens = Required<Owner>

/** An interruption at any moment is safe: the next call repeats the work without duplicates. */
export async function seed({ table, owner, first }: SeedOptions): Promise<OwnerWithTokens> {
  const userId = await createOwner(table, owner)
  if (first) await ensurePassword(table, userId, owner)
  // An owner who was erased is created again as another user, who has none of the saved tokens.
  const isOwn = (token: string | undefined) =>
    token !== undefined && parseToken(token)?.userId === userId ? token : undefined
  const issueToken = async (name: string, abilities: Ability[]) => {
    const { action, text } = await newToken(table, { user_id: userId, name, abilities }, nowSeconds())
    await table.transact([action])
    return text
  }
  const [userToken, adminToken] = await Promise.all([
    isOwn(owner.userToken) ?? issueToken('Owner', ['user']),
    isOwn(owner.adminToken) ?? issueToken('Owner (admin)', ['user', 'admin']),
  ])
  return { ...owner, userToken, adminToken }
}

/** Returns the id of the account. An import into a fresh state may need an author before the seed runs. */
export async function createOwner(table: Table, owner: Owner): Promise<number> {
  const { email, password } = owner
  const existing = await findUserIdByEmail(table, email)
  if (existing !== undefined) return existing
  const account = { name: 'Owner', email, email_verified: true, password_hash: await hashPassword(password) }
  const user = await createUser(table, account, nowSeconds()).catch(error => {
    if (error instanceof EmailTaken) return undefined
    throw error
  })
  return user?.id ?? (await createOwner(table, owner))
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** An imported account may have no password, but the owner must be able to log in. */
async function ensurePassword(table: Table, userId: number, { password }: Owner): Promise<void> {
  if ((await findPasswordHash(table, userId)) !== undefined) return
  await table.transact([putPassword(userId, await hashPassword(password))])
}
