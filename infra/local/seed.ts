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
  /** The hash of the owner's password, if the caller has it. Tests share one, because hashing is slow. */
  passwordHash?: string
  /** Whether this is the first start on the state, or a repetition of an interrupted first start. */
  first: boolean
}

export type OwnerWithTokens = Required<Owner>

/** An interruption at any moment is safe: the next call repeats the work without duplicates. */
export async function seed({ table, owner, passwordHash, first }: SeedOptions): Promise<OwnerWithTokens> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const userId = await ensureOwner(table, { ...owner, passwordHash }, nowSeconds)
  if (first) await ensurePassword(table, userId, { ...owner, passwordHash })
  // An owner who was erased is created again as another user, who has none of the saved tokens.
  const isOwn = (token: string | undefined) =>
    token !== undefined && parseToken(token)?.userId === userId ? token : undefined
  const issueToken = async (name: string, abilities: Ability[]) => {
    const { action, text } = await newToken(table, { user_id: userId, name, abilities }, nowSeconds)
    await table.transact([action])
    return text
  }
  const [userToken, adminToken] = await Promise.all([
    isOwn(owner.userToken) ?? issueToken('Owner', ['user']),
    isOwn(owner.adminToken) ?? issueToken('Owner (admin)', ['user', 'admin']),
  ])
  return { ...owner, userToken, adminToken }
}

type Account = Owner & { passwordHash: string | undefined }

/** For an import into a fresh state, which may need an author before the seed runs. */
export function createOwner(table: Table, owner: Owner): Promise<number> {
  return ensureOwner(table, { ...owner, passwordHash: undefined }, Math.floor(Date.now() / 1000))
}

async function ensureOwner(table: Table, owner: Account, nowSeconds: number): Promise<number> {
  const { email, password, passwordHash } = owner
  const existing = await findUserIdByEmail(table, email)
  if (existing !== undefined) return existing
  const password_hash = passwordHash ?? (await hashPassword(password))
  const account = { name: 'Owner', email, email_verified: true, password_hash }
  const user = await createUser(table, account, nowSeconds).catch(error => {
    if (error instanceof EmailTaken) return undefined
    throw error
  })
  return user?.id ?? (await ensureOwner(table, owner, nowSeconds))
}

/** An imported account may have no password, but the owner must be able to log in. */
async function ensurePassword(table: Table, userId: number, { password, passwordHash }: Account) {
  if ((await findPasswordHash(table, userId)) !== undefined) return
  const hash = passwordHash ?? (await hashPassword(password))
  await table.transact([putPassword(userId, hash)])
}
