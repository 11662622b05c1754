// The tokens of links in mails to users: their purpose, their lifetime, and when they are used up. No I/O.
import { foldedEmail } from '../http/email.ts'
import { isGenuine, type LinkToken, linkToken } from '../mail/link-token.ts'
import type { User } from './user.ts'

const VERIFY_SECONDS = 7 * 24 * 60 * 60
const RESET_SECONDS = 60 * 60

/** Valid for the address that the mail was sent to. */
function verifyClaim({ email }: User) {
  return { purpose: 'verify-email' as const, state: foldedEmail(email) }
}

/** A reset raises `first_valid_token`, which uses up its own link and all older ones. */
function resetClaim({ first_valid_token }: User) {
  return {
    purpose: 'reset-password' as const,
    state: first_valid_token,
  }
}

export function newVerifyToken(key: string, user: User, nowSeconds: number): string {
  return linkToken(key, { ...verifyClaim(user), id: user.id, expiresAt: nowSeconds + VERIFY_SECONDS })
}

export function newResetToken(key: string, user: User, nowSeconds: number): string {
  return linkToken(key, { ...resetClaim(user), id: user.id, expiresAt: nowSeconds + RESET_SECONDS })
}

/** Whether the token, as `parseLinkToken` read it, confirms the address of this user. */
export function isValidVerifyToken(key: string, token: LinkToken, user: User, nowSeconds: number): boolean {
  return token.id === user.id && isGenuine(key, token, verifyClaim(user), nowSeconds)
}

/**
 * Whether the token may set a new password of this user. Check it again inside the change of the user: of two
 * concurrent resets, the second then finds its link used up.
 */
export function isValidResetToken(key: string, token: LinkToken, user: User, nowSeconds: number): boolean {
  return token.id === user.id && isGenuine(key, token, resetClaim(user), nowSeconds)
}
