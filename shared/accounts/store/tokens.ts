// Reads tokens. They share the partition of their user, so that one read fetches both.
import * as z from 'zod/mini'
import type { Settings } from '../../site/settings.ts'
import type { Table } from '../../table/client.ts'
import { TOKEN_PREFIX, tokenKey, tokenUseKey, userKey } from '../../table/design.ts'
import { expiryOf, isExpired, Token, type UsedToken } from '../token.ts'
import { MAX_TOKENS, oldestToRevoke } from '../token-limit.ts'
import { User } from '../user.ts'

export async function findTokenWithUser(table: Table, userId: number, tokenId: number) {
  const [first, second] = await table.findMany([userKey(userId), tokenKey(userId, tokenId)])
  const token = [first, second].find(item => item?.sk.startsWith(TOKEN_PREFIX))
  const user = [first, second].find(item => item && !item.sk.startsWith(TOKEN_PREFIX))
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

/** Reads when they were last used only if a token must go for a new one. */
export async function findTokensToRevoke(
  table: Table,
  tokens: Token[],
  isRemovable: (token: Token) => boolean,
): Promise<Token[]> {
  return tokens.length < MAX_TOKENS ? [] : oldestToRevoke(await withLastUse(table, tokens), isRemovable)
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
