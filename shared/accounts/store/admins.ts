// Finds admins: an admin is a user with a valid token with the ability `admin`.
import type { Settings } from '../../site/settings.ts'
import type { Table } from '../../table/client.ts'
import { TOKENS_END, tokenKey, userKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { isExpired, Token } from '../token.ts'
import { User } from '../user.ts'

/** The id of the last valid admin token by user. Only a hint, which usually saves the search. */
const cacheOf = perTable(() => new Map<number, number>())
const MAX_CACHED = 5_000

const BATCH = 50

/** The time and the settings that decide whether a token has expired. */
type TokenValidity = { nowSeconds: number; settings: Settings | Promise<Settings> }

/** Returns the user if they have a valid admin token, even if they are banned. */
export async function findAdmin(
  table: Table,
  userId: number,
  validity: TokenValidity,
): Promise<User | undefined> {
  const cache = cacheOf(table)
  const cachedId = cache.get(userId)
  const keys = [userKey(userId), ...(cachedId === undefined ? [] : [tokenKey(userId, cachedId)])]
  const [items, settings] = await Promise.all([table.findMany(keys), validity.settings])
  const [stored, cachedToken] = keys.map(({ sk }) => items.find(item => item.sk === sk))
  if (!stored) return undefined
  const user = User.parse(stored)
  const isAdminToken = (token: Token): boolean =>
    token.id >= user.first_valid_token &&
    token.abilities.includes('admin') &&
    !isExpired(token, validity.nowSeconds, settings)
  if (cachedToken && isAdminToken(Token.parse(cachedToken))) return user
  const found = await findToken(table, user, isAdminToken)
  if (cache.size >= MAX_CACHED) cache.clear()
  if (!found) {
    cache.delete(userId)
  } else {
    cache.set(userId, found.id)
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
