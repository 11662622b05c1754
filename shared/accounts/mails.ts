// Composes the mails to users. They never contain a name: anyone can register any name with any address.
import { foldedEmail } from '../http/email.ts'
import { linkToken } from '../mail/link-token.ts'
import { type Composer, fillTemplate } from '../mail/mail.ts'
import { findUser, findUserIdByEmail } from './store/users.ts'
import type { User } from './user.ts'

export const verifyEmailMail: Composer<'verify-email'> = async (
  { user_id },
  { table, key, nowSeconds, siteUrl, siteName },
) => {
  const user = await findUser(table, user_id)
  if (!user || user.email_verified) return undefined
  return fillTemplate({
    to: user.email,
    subject: `Confirm your address for ${siteName}`,
    siteName,
    blocks: [
      `This address was entered for an account at ${siteName}. If that was you, confirm it within 7 days:`,
      {
        label: 'Confirm your address',
        url: `${siteUrl}/verify-email?token=${newVerifyToken(key, user, nowSeconds)}`,
      },
      'If it was not you, there is nothing to do.',
    ],
  })
}

/** Banned users get the mail as well: only a login may reveal a ban. */
export const resetPasswordMail: Composer<'reset-password'> = async (
  { email },
  { table, key, nowSeconds, siteUrl, siteName },
) => {
  const userId = await findUserIdByEmail(table, email)
  const user = userId === undefined ? undefined : await findUser(table, userId)
  if (!user) return undefined
  return fillTemplate({
    to: user.email,
    subject: `A new password for ${siteName}`,
    siteName,
    blocks: [
      `A new password was requested for your account at ${siteName}. If that was you, choose it within 60 minutes:`,
      {
        label: 'Choose a new password',
        url: `${siteUrl}/reset-password?token=${newResetToken(key, user, nowSeconds)}`,
      },
      'If it was not you, there is nothing to do: your password stays as it is.',
    ],
  })
}

// The tokens of the links in these mails.

const VERIFY_SECONDS = 7 * 24 * 60 * 60
const RESET_SECONDS = 60 * 60

/** Valid for the address that the mail was sent to, until it is confirmed. */
export function verifyClaim({ email, email_verified }: User) {
  return { purpose: 'verify-email' as const, state: email_verified ? '' : foldedEmail(email) }
}

/** A reset raises `first_valid_token`, which uses up its own link and all older ones. */
export function resetClaim({ first_valid_token }: User) {
  return { purpose: 'reset-password' as const, state: first_valid_token }
}

export function newVerifyToken(key: string, user: User, nowSeconds: number): string {
  return linkToken(key, { ...verifyClaim(user), id: user.id, expiresAt: nowSeconds + VERIFY_SECONDS })
}

export function newResetToken(key: string, user: User, nowSeconds: number): string {
  return linkToken(key, { ...resetClaim(user), id: user.id, expiresAt: nowSeconds + RESET_SECONDS })
}
