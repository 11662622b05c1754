// Reads tokens. They share the partition of their user, so that one read fetches both.
import type { Settings } from '../../site/settings.ts'
import type { Table } from '../../table/client.ts'
import { TOKEN_PREFIX, tokenKey, userKey } from '../../table/design.ts'
import { expiryOf, isExpired, Token } from '../token.ts'
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

/** Newest first, without revoked and expired ones. */
export async function listTokens(
  table: Table,
  userId: number,
  settings: Settings,
  nowSeconds: number,
): Promise<Token[]> {
  const { tokens } = await findTokens(table, userId)
  const dated = tokens.map(token => ({ ...token, expires_at: expiryOf(token, settings) }))
  return dated.filter(token => !isExpired(token, nowSeconds))
}
