// Composes the mails to users. They never contain a name: anyone can register any name with any address.
import type { Composer } from '../mail/composer.ts'
import { fillTemplate } from '../mail/template.ts'
import { newResetToken, newVerifyToken } from './links.ts'
import { findUser, findUserIdByEmail } from './store/users.ts'

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
