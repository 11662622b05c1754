// Registers a user, and confirms an address or resets a password by the link of a mail.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid } from '../../http/errors.ts'
import { isGenuine, type LinkState, parseLinkToken } from '../../mail/link-token.ts'
import { orderMail } from '../../mail/mail.ts'
import type { PasswordReset, Registration, Session } from '../fields.ts'
import { resetClaim, verifyClaim } from '../mails.ts'
import { hashPassword } from '../password.ts'
import { findUser, findUserIdByEmail, getUser } from '../store/users.ts'
import { session, type User, userData } from '../user.ts'
import { type LoginCaller, loginToken, rememberAddress } from './login.ts'
import { newToken, revokeTokens } from './tokens.ts'
import { changeUser, createUser, EmailTaken, putPassword } from './users.ts'

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
