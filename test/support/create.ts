// Creates records for tests; members that a test does not set get defaults.
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Ability } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { Table } from '../../shared/table/client.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import type { callAt } from './call.ts'

type Members = Record<string, unknown>
type User = { password?: string | null; abilities?: Ability[]; isVerified?: boolean }
type Context = {
  table: Table
  call: ReturnType<typeof callAt>
  /** A token with all abilities. */
  admin: string
  unique: (word: string) => string
}

/** The owner's password in every world. */
export const OWNER_PASSWORD = 'the owner of every test world'

const hashes = new Map<string, Promise<string>>()
/** A password that many tests use is hashed once, because hashing takes a third of a second. */
export function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return hash
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

export async function createToken(
  table: Table,
  userId: number,
  abilities: Ability[],
  atSeconds = nowSeconds(),
): Promise<string> {
  const { action, text } = await newToken(table, { user_id: userId, name: 'test', abilities }, atSeconds)
  await table.transact([action])
  return text
}

type Profile = Partial<Parameters<typeof createUser>[1]>

/** A user with a token of these abilities. */
export async function createUserWith(
  table: Table,
  abilities: Ability[],
  { atSeconds = nowSeconds(), ...profile }: Profile & { atSeconds?: number } = {},
) {
  const email = `user-${Math.random()}@example.com`
  const user = { name: 'User', email, email_verified: true, password_hash: null, ...profile }
  const created = await createUser(table, user, atSeconds)
  return { ...created, token: await createToken(table, created.id, abilities, atSeconds) }
}

export function creatorsIn({ table, call, admin: token, unique }: Context) {
  const post = async (members: Members = {}) => {
    const body = { title: unique('Post'), ...members }
    return (await call(adminPosts.createPost, { token, body })).data
  }
  const category = async (members: Members = {}) => {
    const body = { name: unique('Category'), ...members }
    return (await call(adminCategories.createCategory, { token, body })).data
  }
  const webhook = async (url: string, members: Members = {}, ownToken = token) => {
    const body = { name: unique('Hook'), url, events: ['*'], ...members }
    return (await call(adminWebhooks.createWebhook, { token: ownToken, body })).data
  }
  const user = async ({ password = null, abilities = ['user'], isVerified = true }: User = {}) => {
    const email = `${unique('user').replace(' ', '')}@example.com`
    const password_hash = password === null ? null : await hashOnce(password)
    const profile = { name: unique('User'), email, email_verified: isVerified, password_hash }
    return createUserWith(table, abilities, profile)
  }
  return {
    post,
    livePost: (members: Members = {}) => post({ is_published: true, ...members }),
    category,
    webhook,
    user,
    token: (userId: number, abilities: Ability[]) => createToken(table, userId, abilities),
  }
}
