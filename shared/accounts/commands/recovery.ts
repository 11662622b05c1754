// What the links in mails do: an address is confirmed, a forgotten password replaced.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid } from '../../http/errors.ts'
import { type LinkToken, parseLinkToken } from '../../mail/link-token.ts'
import { orderMail } from '../../mail/mail.ts'
import type { PasswordReset } from '../fields.ts'
import { opensReset, opensVerify } from '../links.ts'
import { hashPassword } from '../password.ts'
import { findUser, getUser } from '../store/users.ts'
import type { User } from '../user.ts'
import { knowAddress, type LoginCaller } from './login-guard.ts'
import { putPassword } from './passwords.ts'
import { revokeTokens } from './revoke-tokens.ts'
import { changeUser } from './users.ts'

function linkFault() {
  return invalid({ token: ['Is wrong, used or expired.'] })
}

/** Whether a link still opens this user's door. */
type Lock = (key: string, token: LinkToken, user: User, nowSeconds: number) => boolean

/** Whose link it is, and the test of it, to be repeated on the user whom a change finds. Throws the fault of `token`. */
async function openLink({ table, nowSeconds }: UnitOfWork, key: string, text: string, lock: Lock) {
  const token = parseLinkToken(text)
  const user = token && (await findUser(table, token.id))
  if (!token || !user) throw linkFault()
  const requireOpen = (current: User): void => {
    if (!lock(key, token, current, nowSeconds)) throw linkFault()
  }
  requireOpen(user)
  return { userId: user.id, email: user.email, requireOpen }
}

export async function verifyEmail(work: UnitOfWork, key: string, linkText: string): Promise<void> {
  const isOpen: Lock = (key, token, user, nowSeconds) =>
    !user.email_verified && opensVerify(key, token, user, nowSeconds)
  const { userId, requireOpen } = await openLink(work, key, linkText, isOpen)
  await changeUser(work.table, userId, user => {
    requireOpen(user)
    return { ...user, email_verified: true }
  })
}

/** The mail that confirms an address once more; none when it is confirmed. */
export async function sendVerification(work: UnitOfWork, userId: number): Promise<void> {
  const user = await getUser(work.table, userId)
  if (user.email_verified) return
  const mail = orderMail({ kind: 'verify-email', user_id: userId }, work.nowMs)
  await work.commit({ actions: [], messages: [mail] })
}

/** Does not look the address up, so that neither answer nor time tells whether it has an account: that is the worker's. */
export async function forgotPassword(work: UnitOfWork, email: string): Promise<void> {
  const mail = orderMail({ kind: 'reset-password', email }, work.nowMs)
  await work.commit({ actions: [], messages: [mail] })
}

/**
 * Another password, and no token of before is valid from then on. Whoever has the mailbox is let in by the login
 * guard: `callerOf` says who that is for the account's e-mail address.
 */
export async function resetPassword(
  work: UnitOfWork,
  key: string,
  wanted: PasswordReset,
  callerOf: (email: string) => LoginCaller,
): Promise<void> {
  const { userId, email, requireOpen } = await openLink(work, key, wanted.token, opensReset)
  const hash = await hashPassword(wanted.password)
  const actions = [putPassword(userId, hash), knowAddress(callerOf(email), work.nowSeconds)]
  await revokeTokens(work, userId, { check: requireOpen, actions })
}
