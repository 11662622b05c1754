// Logs in and registers users, and confirms an address or resets a password by the link of a mail.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { scaled } from '../../http/audience.ts'
import { foldedEmail } from '../../http/email.ts'
import { ApiError, invalid, rateLimited } from '../../http/errors.ts'
import { type Bucket, clientKey, consume, refund } from '../../limits/limiter.ts'
import { isGenuine, type LinkState, parseLinkToken } from '../../mail/link-token.ts'
import { orderMail } from '../../mail/mail.ts'
import { type Environment, required } from '../../runtime/environment.ts'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { limitKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { LoginInput, PasswordReset, Registration, Session } from '../fields.ts'
import { resetClaim, verifyClaim } from '../mails.ts'
import { hashPassword, verifyPassword } from '../password.ts'
import { findTokens, findTokensToRevoke } from '../store/tokens.ts'
import { findPasswordHash, findUser, findUserIdByEmail, getUser } from '../store/users.ts'
import { isBanned, session, type User, userData } from '../user.ts'
import { deleteTokens, ifNotRevoked, newToken, revokeTokens, type TokenDraft } from './tokens.ts'
import { changeUser, createUser, EmailTaken, ifPasswordUnchanged, putPassword } from './users.ts'

/** The token that a login and a registration issue. */
function loginToken(user_id: number, name = 'api'): TokenDraft {
  return { user_id, name, abilities: ['user'], by_login: true }
}

/** No user has id 0; reading it keeps the timing equal for unknown addresses. */
const NO_USER = 0

async function findByEmail(table: Table, email: string) {
  const userId = (await findUserIdByEmail(table, email)) ?? NO_USER
  const [user, hash] = await Promise.all([findUser(table, userId), findPasswordHash(table, userId)])
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

/**
 * Counts an attempt before the password is verified, so that parallel attempts cannot exceed the limit.
 * `refusal` is the error to answer with. A counted attempt is refunded when the password is right.
 */
async function countAttempt(table: Table, caller: LoginCaller, nowMs: number) {
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
function rememberAddress({ pair }: LoginCaller, nowSeconds: number): Action {
  return { Put: { Item: { ...limitKey(KNOWN_SCOPE, pair), expires: nowSeconds + KNOWN_SECONDS } } }
}

function linkFault() {
  return invalid({ token: ['Is wrong, used or expired.'] })
}

/** Finds the user of a link. Call `requireValid` again on the user that the transaction reads. */
async function checkLink(
  { table, nowSeconds }: UnitOfWork,
  key: string,
  text: string,
  stateOf: (user: User) => LinkState,
) {
  const token = parseLinkToken(text)
  const user = token && (await findUser(table, token.id))
  if (!token || !user) throw linkFault()
  const requireValid = (current: User): void => {
    if (!isGenuine(key, token, stateOf(current), nowSeconds)) throw linkFault()
  }
  requireValid(user)
  return { userId: user.id, email: user.email, requireValid }
}

export async function verifyEmail(work: UnitOfWork, key: string, linkText: string): Promise<void> {
  const { userId, requireValid } = await checkLink(work, key, linkText, verifyClaim)
  await changeUser(work.table, userId, user => {
    requireValid(user)
    return { ...user, email_verified: true }
  })
}

/** Orders another confirmation mail, unless the address is confirmed. */
export async function sendVerification(work: UnitOfWork, userId: number): Promise<void> {
  const user = await getUser(work.table, userId)
  if (user.email_verified) return
  const mail = orderMail({ kind: 'verify-email', user_id: userId }, work.nowMs)
  await work.commit({ actions: [], messages: [mail] })
}

/** The worker looks the address up: a lookup here would reveal by its timing whether an account exists. */
export async function forgotPassword(work: UnitOfWork, email: string): Promise<void> {
  const mail = orderMail({ kind: 'reset-password', email }, work.nowMs)
  await work.commit({ actions: [], messages: [mail] })
}

/**
 * Sets a new password and revokes all tokens. The caller owns the mailbox, so the login guard knows its IP
 * address from now on; `callerOf` hashes that for the account's e-mail address.
 */
export async function resetPassword(
  work: UnitOfWork,
  key: string,
  input: PasswordReset,
  callerOf: (email: string) => LoginCaller,
): Promise<void> {
  const { userId, email, requireValid } = await checkLink(work, key, input.token, resetClaim)
  const hash = await hashPassword(input.password)
  const actions = [putPassword(userId, hash), rememberAddress(callerOf(email), work.nowSeconds)]
  await revokeTokens(work, userId, { check: requireValid, actions })
}

function emailTaken() {
  return invalid({ email: ['Is already taken.'] })
}

export async function register(
  work: UnitOfWork,
  registration: Registration,
  caller: LoginCaller,
): Promise<Session> {
  const { table, nowMs, nowSeconds } = work
  const { name, email, device_name } = registration
  // Saves the expensive hash for a taken address; the transaction's condition has the last word.
  if ((await findUserIdByEmail(table, email)) !== undefined) throw emailTaken()
  const password_hash = await hashPassword(registration.password)
  let text = ''
  const siteUrl = await work.siteUrl()
  const user = await createUser(
    table,
    { name, email, email_verified: false, password_hash },
    nowSeconds,
    async (creation, user) => {
      const token = await newToken(table, loginToken(user.id, device_name), nowSeconds)
      text = token.text
      await work.commit({
        ...creation,
        actions: [...creation.actions, token.action, rememberAddress(caller, nowSeconds)],
        events: [{ event: 'user.registered', data: userData(user, siteUrl) }],
        messages: [orderMail({ kind: 'verify-email', user_id: user.id }, nowMs)],
      })
    },
  ).catch(error => {
    throw error instanceof EmailTaken ? emailTaken() : error
  })
  return session(user, text)
}
