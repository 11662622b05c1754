// Reads tokens. They share the partition of their user, so that one read fetches both.
import * as z from 'zod/mini'
import { BUILDS_READ } from '../../http/audience.ts'
import type { Settings } from '../../site/settings.ts'
import { perTable, type Table } from '../../table/client.ts'
import { type Item, TOKEN_PREFIX, TOKENS_END, tokenKey, tokenUseKey, userKey } from '../../table/design.ts'
import { expiryOf, isExpired, MAX_TOKENS, Token, type UsedToken, verifySecret } from '../token.ts'
import { User } from '../user.ts'

export async function findTokenWithUser(table: Table, userId: number, tokenId: number) {
  const items = await table.findMany([userKey(userId), tokenKey(userId, tokenId)])
  const token = items.find(({ sk }) => sk.startsWith(TOKEN_PREFIX))
  const user = items.find(({ sk }) => !sk.startsWith(TOKEN_PREFIX))
  return token && user && { token: Token.parse(token), user: User.parse(user) }
}

/** A user and their tokens, newest first, without revoked ones. */
export async function findTokens(table: Table, userId: number) {
  const span = { pk: userKey(userId).pk, beginsWith: TOKEN_PREFIX, descending: true }
  // Read the user first: a token created in between then breaks the condition on the revision.
  const user = await table.find(userKey(userId), User)
  const tokens = await table.query(span, Token)
  return { user, tokens: tokens.filter(({ id }) => id >= (user?.first_valid_token ?? 0)) }
}

const Use = z.object({ pk: z.string(), last_used_at: z.number() })

/** Adds when each token was last used. */
export async function withLastUse(table: Table, tokens: Token[]): Promise<UsedToken[]> {
  const items = await table.findMany(tokens.map(({ id }) => tokenUseKey(id)))
  const uses = new Map(items.map(item => Use.parse(item)).map(({ pk, last_used_at }) => [pk, last_used_at]))
  return tokens.map(token => ({ ...token, last_used_at: uses.get(tokenUseKey(token.id).pk) ?? null }))
}

/** A transaction holds a hundred actions, so a larger surplus is deleted by several logins. */
const MAX_AT_ONCE = 25

/** The removable tokens to delete so that one more fits: the least recently used first. */
export async function findTokensToRevoke(
  table: Table,
  tokens: Token[],
  isRemovable: (token: Token) => boolean,
): Promise<Token[]> {
  const surplus = tokens.length + 1 - MAX_TOKENS
  if (surplus <= 0) return []
  const lastUse = ({ last_used_at, created_at }: UsedToken) => last_used_at ?? created_at
  const removable = await withLastUse(table, tokens.filter(isRemovable))
  return removable.toSorted((a, b) => lastUse(a) - lastUse(b)).slice(0, Math.min(surplus, MAX_AT_ONCE))
}

/** Newest first, without revoked and expired ones. */
export async function listTokens(
  table: Table,
  userId: number,
  settings: Settings,
  nowSeconds: number,
): Promise<UsedToken[]> {
  const { tokens } = await findTokens(table, userId)
  const dated = tokens.map(token => ({ ...token, expires_at: expiryOf(token, settings) }))
  return await withLastUse(
    table,
    dated.filter(token => !isExpired(token, nowSeconds)),
  )
}

/** The id of the last valid admin token by user. Only a hint, which usually saves the search. */
const cacheOf = perTable(() => new Map<number, number>())
const MAX_CACHED = 5_000

const BATCH = 50

/** The time and the settings that decide whether a token has expired. */
type TokenValidity = { nowSeconds: number; settings: Settings }

/** Returns the user if they have a valid admin token, even if they are banned. */
export async function findAdmin(
  table: Table,
  userId: number,
  validity: TokenValidity,
): Promise<User | undefined> {
  const { keys, adminsIn } = planAdmins(table, [userId])
  return (await adminsIn(await table.findMany(keys), validity)).get(userId)
}

/**
 * The token of a build and its user, in one call: undefined if the secret is wrong, or the user is no admin
 * any more. Only a right secret has another admin token searched for.
 */
export async function findBuilder(
  table: Table,
  { userId, tokenId, secret }: { userId: number; tokenId: number; secret: string },
  validity: TokenValidity,
) {
  const own = tokenKey(userId, tokenId)
  const { keys, adminsIn } = planAdmins(table, [userId])
  const items = await table.findMany([...keys.filter(({ sk }) => sk !== own.sk), own])
  const token = Token.safeParse(items.find(({ sk }) => sk === own.sk)).data
  if (!token?.abilities.includes(BUILDS_READ) || !verifySecret(secret, token.secret_hash)) return undefined
  const user = (await adminsIn(items, validity)).get(userId)
  return user && { token, user }
}

/**
 * For callers that read further items in the same call: the keys to read, and a function that returns those
 * of the users who have a valid admin token, by id, given what was read.
 */
export function planAdmins(table: Table, userIds: number[]) {
  const cache = cacheOf(table)
  const keys = userIds.flatMap(userId => {
    const cachedId = cache.get(userId)
    return [userKey(userId), ...(cachedId === undefined ? [] : [tokenKey(userId, cachedId)])]
  })
  const adminsIn = async (items: Item[], validity: TokenValidity): Promise<Map<number, User>> => {
    const found = userIds.map(async userId => {
      const { pk, sk } = userKey(userId)
      const own = items.filter(item => item.pk === pk)
      const user = own.find(item => item.sk === sk)
      const tokens = own.filter(item => item.sk.startsWith(TOKEN_PREFIX)).map(item => Token.parse(item))
      return user && (await adminOf(table, User.parse(user), tokens, validity))
    })
    const admins = (await Promise.all(found)).filter(user => user !== undefined)
    return new Map(admins.map(user => [user.id, user]))
  }
  return { keys, adminsIn }
}

/** The user, if one of the tokens that were read, or another one, is a valid admin token. */
async function adminOf(
  table: Table,
  user: User,
  tokens: Token[],
  { nowSeconds, settings }: TokenValidity,
): Promise<User | undefined> {
  const isAdminToken = (token: Token): boolean =>
    token.id >= user.first_valid_token &&
    token.abilities.includes('admin') &&
    !isExpired(token, nowSeconds, settings)
  if (tokens.some(isAdminToken)) return user
  const cache = cacheOf(table)
  const found = await findToken(table, user, isAdminToken)
  if (cache.size >= MAX_CACHED) cache.clear()
  if (!found) {
    cache.delete(user.id)
  } else {
    cache.set(user.id, found.id)
  }
  return found && user
}

/** Searches newest first, in batches: the owner of the site may issue any number of tokens. */
async function findToken(
  table: Table,
  user: User,
  isWanted: (token: Token) => boolean,
): Promise<Token | undefined> {
  const from = tokenKey(user.id, user.first_valid_token).sk
  for (let to = TOKENS_END; ; ) {
    const span = { pk: userKey(user.id).pk, from, to, descending: true, limit: BATCH }
    const tokens = await table.query(span, Token)
    const found = tokens.find(isWanted)
    const last = tokens.at(-1)
    if (found || !last || tokens.length < BATCH) return found
    to = tokenKey(user.id, last.id - 1).sk
  }
}
