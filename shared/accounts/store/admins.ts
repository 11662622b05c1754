// Who is an admin at this moment: a user with a valid token that carries `admin`.
import type { Settings } from '../../site/settings.ts'
import type { Table } from '../../table/client.ts'
import { TOKENS_END, tokenKey, userKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { isExpired, Token } from '../token.ts'
import { User } from '../user.ts'

/** By user, the token that proved it last. Only a hint, with which one small read usually suffices. */
const proofsOf = perTable(() => new Map<number, number>())
const MOST_PROOFS = 5_000

const STEP = 50

/** When, and by which settings, a token is valid. */
type At = { nowSeconds: number; settings: Settings | Promise<Settings> }

/** The user, if they exist and hold a valid admin token. A ban does not count here. */
export async function findAdmin(table: Table, userId: number, at: At): Promise<User | undefined> {
  const proofs = proofsOf(table)
  const proof = proofs.get(userId)
  const keys = [userKey(userId), ...(proof === undefined ? [] : [tokenKey(userId, proof)])]
  const [items, settings] = await Promise.all([table.findMany(keys), at.settings])
  const [stored, known] = keys.map(({ sk }) => items.find(item => item.sk === sk))
  if (!stored) return undefined
  const user = User.parse(stored)
  const isProof = (token: Token): boolean =>
    token.id >= user.first_valid_token &&
    token.abilities.includes('admin') &&
    !isExpired(token, at.nowSeconds, settings)
  if (known && isProof(Token.parse(known))) return user
  const found = await findToken(table, user, isProof)
  if (proofs.size >= MOST_PROOFS) proofs.clear()
  if (!found) {
    proofs.delete(userId)
  } else {
    proofs.set(userId, found.id)
  }
  return found && user
}

/** Newest first, in steps: the owner may issue any number of tokens. */
async function findToken(
  table: Table,
  user: User,
  isWanted: (token: Token) => boolean,
): Promise<Token | undefined> {
  const from = tokenKey(user.id, user.first_valid_token).sk
  for (let to = TOKENS_END; ; ) {
    const span = { pk: userKey(user.id).pk, from, to, descending: true, limit: STEP }
    const tokens = await table.query(span, Token)
    const found = tokens.find(isWanted)
    const last = tokens.at(-1)
    if (found || !last || tokens.length < STEP) return found
    to = tokenKey(user.id, last.id - 1).sk
  }
}
