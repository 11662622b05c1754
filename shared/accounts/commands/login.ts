// Logs a user in. An unknown address, a wrong password and a ban take the same time to answer.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { scaled } from '../../http/audience.ts'
import { foldedEmail } from '../../http/email.ts'
import { ApiError, rateLimited } from '../../http/errors.ts'
import { type Bucket, clientKey, consume, refund } from '../../limits/limiter.ts'
import { type Environment, required } from '../../runtime/environment.ts'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { limitKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { LoginInput, Session } from '../fields.ts'
import { verifyPassword } from '../password.ts'
import { findTokens, findTokensToRevoke } from '../store/tokens.ts'
import { findPasswordHash, findUser, findUserIdByEmail } from '../store/users.ts'
import { isBanned, session, userData } from '../user.ts'
import { deleteTokens, ifNotRevoked, newToken, type TokenDraft } from './tokens.ts'
import { ifPasswordUnchanged } from './users.ts'

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
    if (isCounted) await refund(table, attemptsOf(caller), nowMs)
    return session(user, text)
  })
}

/** Failed logins an hour for an address; then only IP addresses that have logged in before may try. */
const MAX_FAILURES = 50

function attemptsOf({ email, scale }: LoginCaller): Bucket {
  const max = scaled(MAX_FAILURES, scale)
  return { scope: 'login-email', client: email, max, windowMs: 60 * 60 * 1000 }
}

const KNOWN_SCOPE = 'login-address'
const KNOWN_SECONDS = 30 * 24 * 60 * 60

/** The caller of a login as keyed hashes; neither the e-mail address nor the IP address is stored. */
export type LoginCaller = {
  email: string
  /** Hash of the e-mail address and the IP address together. */
  pair: string
  /** Factor of the limit. */
  scale: number
}

type CallerContext = { hashClient: (key: string) => string; environment: Environment }

/** `hashClient` returns the hash of the caller's IP address. */
export function loginCaller(email: string, { hashClient, environment }: CallerContext): LoginCaller {
  const key = required(environment, 'CLIENT_KEY')
  const folded = foldedEmail(email)
  return {
    email: clientKey(folded, key),
    pair: clientKey(`${folded} ${hashClient(key)}`, key),
    scale: environment.LIMIT_SCALE,
  }
}

const KnownAddress = z.object({ expires: z.int() })

/** `refusal` is the error to answer with. A counted attempt is refunded when the password is right. */
type LoginAttempt = { refusal: ApiError | undefined; isCounted: boolean }

/** Counts an attempt before the password is verified, so that parallel attempts cannot exceed the limit. */
async function countAttempt(table: Table, caller: LoginCaller, nowMs: number): Promise<LoginAttempt> {
  const [{ isAllowed, resetMs }, known] = await Promise.all([
    consume(table, attemptsOf(caller), nowMs),
    table.find(limitKey(KNOWN_SCOPE, caller.pair), KnownAddress),
  ])
  const isKnown = known !== undefined && known.expires * 1000 > nowMs
  const refusal = isAllowed || isKnown ? undefined : rateLimited(TOO_MANY_FAILURES, resetMs - nowMs)
  return { refusal, isCounted: isAllowed }
}

const TOO_MANY_FAILURES =
  'Too many wrong passwords for this e-mail address. Try again later, or from an IP address that has logged in before.'

/** Add this to the transaction of a login: its IP address may pass the guard for 30 days. */
export function rememberAddress({ pair }: LoginCaller, nowSeconds: number): Action {
  return {
    Put: { Item: { ...limitKey(KNOWN_SCOPE, pair), expires: nowSeconds + KNOWN_SECONDS } },
  }
}
