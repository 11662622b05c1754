// Logs a user in. An unknown address, a wrong password and a ban take the same time to answer.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { userData } from '../events.ts'
import type { LoginInput, Session } from '../fields.ts'
import { verifyPassword } from '../password.ts'
import { findTokens, findTokensToRevoke } from '../store/tokens.ts'
import { findPasswordHash, findUser, findUserIdByEmail } from '../store/users.ts'
import { isBanned } from '../user.ts'
import { session } from '../view.ts'
import { countAttempt, type LoginCaller, refundAttempt, rememberAddress } from './login-guard.ts'
import { ifPasswordUnchanged } from './passwords.ts'
import { deleteTokens, ifNotRevoked, newToken, type TokenDraft } from './tokens.ts'

const DEFAULT_TOKEN_NAME = 'api'

/** The token that a login and a registration issue. */
export function loginToken(user_id: number, device_name?: string): TokenDraft {
  return {
    user_id,
    name: device_name ?? DEFAULT_TOKEN_NAME,
    abilities: ['user'],
    by_login: true,
  }
}

/** No user has id 0; reading it keeps the timing equal for unknown addresses. */
const NO_USER = 0

async function findByEmail(table: Table, email: string) {
  const userId = await findUserIdByEmail(table, email)
  const [user, hash] = await Promise.all([
    findUser(table, userId ?? NO_USER),
    findPasswordHash(table, userId ?? NO_USER),
  ])
  return { user, hash }
}

/** Stores the token only if the password has not changed since it was verified; otherwise starts again. */
export function login(
  work: UnitOfWork,
  { email, password, device_name }: LoginInput,
  caller: LoginCaller,
): Promise<Session> {
  const { table, nowMs, nowSeconds } = work
  let counting: ReturnType<typeof countAttempt> | undefined
  return retryOnConflict(async () => {
    counting ??= countAttempt(table, caller, nowMs)
    const [{ user, hash }, { refusal, isCounted }] = await Promise.all([findByEmail(table, email), counting])
    if (refusal) throw refusal
    const isRight = await verifyPassword(password, hash)
    if (!user || hash === undefined || !isRight) {
      throw new ApiError('INVALID_CREDENTIALS', 'E-mail or password is wrong.')
    }
    if (isBanned(user, nowSeconds)) throw new ApiError('ACCOUNT_BANNED', 'This account is banned.')
    const draft = loginToken(user.id, device_name)
    const { tokens } = await findTokens(table, user.id)
    const { token, action, text } = await newToken(table, draft, nowSeconds)
    // Two parallel logins may both take the last free token; the next login then deletes more than one.
    const revoked = await findTokensToRevoke(table, tokens, ({ by_login }) => by_login === true)
    await work.commit({
      actions: [
        action,
        ifNotRevoked(user.id, token.id),
        ifPasswordUnchanged(user.id, hash),
        rememberAddress(caller, nowSeconds),
        ...deleteTokens(revoked),
      ],
      events: [{ event: 'user.logged-in', data: userData(user, await work.siteUrl()) }],
    })
    if (isCounted) await refundAttempt(table, caller, nowMs)
    return session(user, text)
  })
}
