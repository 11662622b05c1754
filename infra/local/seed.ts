// Creates the owner's account and tokens, and on the first start demo content: in the table, not by requests.
import { putPassword } from '../../shared/accounts/commands/passwords.ts'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser, EmailTaken } from '../../shared/accounts/commands/users.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { parseToken } from '../../shared/accounts/secrets.ts'
import { findPasswordHash, findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { findCategoryIdBySlug } from '../../shared/categories/store/categories.ts'
import type { Sender } from '../../shared/events/sender.ts'
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import type { Ability } from '../../shared/http/audience.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { updateIndex } from '../../shared/search/commands/update-index.ts'
import { saveMenu } from '../../shared/site/commands/menus.ts'
import { menuFrom } from '../../shared/site/menu.ts'
import { MenuInput } from '../../shared/site/menu-input.ts'
import type { Table } from '../../shared/table/client.ts'
import { DEMO_CATEGORIES, DEMO_MENUS, DEMO_POSTS, DEMO_USER, postedAt } from './demo.ts'
import { openLocalTable } from './dynamodb/local-table.ts'
import type { Owner } from './secrets.ts'

export type SeedOptions = {
  table: { endpoint: string; tableName: string }
  baseUrl: string
  /** The tokens are missing until the first start has issued them. */
  owner: Owner
  demo: boolean
  /** The hash of the owner's password, if the caller has it. Tests share one, because hashing is slow. */
  passwordHash?: string
  /** Whether this is the first start on the state, or a repetition of an interrupted first start. */
  first: boolean
  log: (line: string) => void
}

export type OwnerWithTokens = Required<Owner>

/** An interruption at any moment is safe: the next call repeats the work without duplicates. */
export async function seed({
  table: address,
  baseUrl,
  owner,
  passwordHash,
  demo,
  first,
  log,
}: SeedOptions): Promise<OwnerWithTokens> {
  const table = openLocalTable(address.endpoint, address.tableName)
  const nowMs = Date.now()
  const work = startUnitOfWork({
    table,
    sender: DROPPING,
    nowMs,
    requestId: 'seed',
    siteUrl: async () => baseUrl,
    log: String,
  })
  const userId = await ensureOwner(table, { ...owner, passwordHash }, work.nowSeconds)
  if (first) await ensurePassword(table, userId, { ...owner, passwordHash })
  if (demo && first) {
    log('Creating demo content …')
    await writeDemo(work, userId)
    await updateIndex({ table, nowMs, log: () => undefined })
  }
  // An owner who was erased is another user now, so the saved tokens are of no account.
  const isOwn = (token: string | undefined) =>
    token !== undefined && parseToken(token)?.userId === userId ? token : undefined
  const [userToken, adminToken] = await Promise.all([
    isOwn(owner.userToken) ?? issueToken(work, userId, 'Owner', ['user']),
    isOwn(owner.adminToken) ?? issueToken(work, userId, 'Owner (admin)', ['user', 'admin']),
  ])
  return { ...owner, userToken, adminToken }
}

/** Drops events, because a first start has no webhook subscriptions; demo posts are merged at the end. */
const DROPPING: Sender = { send: async messages => messages.map(() => ({ ok: true })) }

type Account = Owner & { passwordHash: string | undefined }

/** For an import into a fresh state, which may need an author before the seed runs. */
export function createOwner({ endpoint, tableName }: SeedOptions['table'], owner: Owner): Promise<number> {
  const account = { ...owner, passwordHash: undefined }
  return ensureOwner(openLocalTable(endpoint, tableName), account, Math.floor(Date.now() / 1000))
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

/** An account that was imported has none, and the owner is to log in. */
async function ensurePassword(table: Table, userId: number, { password, passwordHash }: Account) {
  if ((await findPasswordHash(table, userId)) !== undefined) return
  const hash = passwordHash ?? (await hashPassword(password))
  await table.transact([putPassword(userId, hash)])
}

async function issueToken(
  { table, nowSeconds }: UnitOfWork,
  user_id: number,
  name: string,
  abilities: Ability[],
) {
  const { action, text } = await newToken(table, { user_id, name, abilities }, nowSeconds)
  await table.transact([action])
  return text
}

async function writeDemo(work: UnitOfWork, userId: number): Promise<void> {
  for (const category of DEMO_CATEGORIES) await ignoreExisting(createCategory(work, category))
  for (const { categories, daysAgo, ...post } of DEMO_POSTS) {
    const ids = await Promise.all(categories.map(slug => findCategoryIdBySlug(work.table, slug)))
    const posted_at = postedAt(daysAgo, work.nowSeconds)
    const category_ids = ids.flatMap(id => id ?? [])
    await ignoreExisting(
      createPost(work, { ...post, category_ids, posted_at, is_published: posted_at !== null }, userId),
    )
  }
  for (const [location, items] of Object.entries(DEMO_MENUS)) {
    await saveMenu(work, menuFrom(location, MenuInput.parse({ items })))
  }
  await createUser(work.table, DEMO_USER, work.nowSeconds).catch(error => {
    if (!(error instanceof EmailTaken)) throw error
  })
}

/** A taken slug means that an interrupted start has already created this item. */
async function ignoreExisting(creating: Promise<unknown>): Promise<void> {
  await creating.catch(error => {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') throw error
  })
}
