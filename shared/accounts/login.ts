// Logging in: whoever has no account, a wrong password or a ban waits as long for the answer.
import { ApiError } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import { session, userData } from './account.ts'
import type { LoginInput, Session } from './fields.ts'
import { countTry, giveBackTry, knowAddress, type LoginCaller } from './login-guard.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'
import { makeRoom } from './token-room.ts'
import { findTokens, newToken, type WantedToken, whileValid } from './tokens.ts'
import { isBanned } from './user.ts'
import { findPasswordHash, findUser, findUserIdByEmail, passwordIs, rehash } from './users.ts'

const DEFAULT_TOKEN_NAME = 'api'

/** What logging in and registering give out. */
export const loginToken = (user_id: number, device_name?: string): WantedToken => ({
  user_id,
  name: device_name ?? DEFAULT_TOKEN_NAME,
  abilities: ['user'],
  by_login: true,
})

/** Nobody's reads cost as much as somebody's. */
const NOBODY = 0

const findByEmail = async (table: Table, email: string) => {
  const userId = await findUserIdByEmail(table, email)
  const [user, hash] = await Promise.all([
    findUser(table, userId ?? NOBODY),
    findPasswordHash(table, userId ?? NOBODY),
  ])
  return { user, hash }
}

/** The token is kept only while the password is the one that was verified: else all is verified again. */
export const login = (
  work: Work,
  { email, password, device_name }: LoginInput,
  caller: LoginCaller,
): Promise<Session> => {
  const { table, nowMs, nowSeconds } = work
  let counting: ReturnType<typeof countTry> | undefined
  return deciding(async () => {
    counting ??= countTry(table, caller, nowMs)
    const [{ user, hash }, { refusal, isCounted }] = await Promise.all([findByEmail(table, email), counting])
    if (refusal) throw refusal
    const isRight = await verifyPassword(password, hash)
    if (!user || hash === undefined || !isRight)
      throw new ApiError('INVALID_CREDENTIALS', 'E-mail or password is wrong.')
    if (isBanned(user, nowSeconds)) throw new ApiError('ACCOUNT_BANNED', 'This account is banned.')
    const wanted = loginToken(user.id, device_name)
    const { tokens } = await findTokens(table, user.id)
    const { token, action, text } = await newToken(table, wanted, nowSeconds)
    // Two logins at once may both take the last place: the next one makes room for three.
    const room = makeRoom(tokens, ({ by_login }) => by_login === true)
    const heldPassword = await holdPassword(user.id, hash, password)
    await work.commit({
      actions: [
        action,
        whileValid(user.id, token.id),
        heldPassword,
        knowAddress(caller, nowSeconds),
        ...room,
      ],
      happenings: [{ event: 'user.logged-in', data: userData(user, await work.siteUrl()) }],
    })
    if (isCounted) await giveBackTry(table, caller, nowMs)
    return session(user, text)
  })
}

const holdPassword = async (userId: number, hash: string, password: string): Promise<Action> =>
  isOutdated(hash) ? rehash(userId, hash, await hashPassword(password)) : passwordIs(userId, hash)
