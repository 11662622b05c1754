// The links in mails to account holders: what each opens, for how long, and what uses it up. No I/O.
import { foldedEmail } from '../http/email.ts'
import { isGenuine, type LinkToken, linkToken } from '../mail/link-token.ts'
import type { User } from './user.ts'

const VERIFY_SECONDS = 7 * 24 * 60 * 60
const RESET_SECONDS = 60 * 60

/** Good for the address that it was sent to. */
function verifyClaim({ email }: User) {
  return { purpose: 'verify-email' as const, state: foldedEmail(email) }
}

/** A reset raises the line below which tokens are void: its link, and all older ones, are used up with it. */
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

/** Whether the token, as `parseLinkToken` read it, confirms the address of this user, whose id it names. */
export function isValidVerifyToken(key: string, token: LinkToken, user: User, nowSeconds: number): boolean {
  return token.id === user.id && isGenuine(key, token, verifyClaim(user), nowSeconds)
}

/**
 * Whether the token sets a new password of this user, whose id it names. Ask within the change of the user, which
 * runs on the record as it is then: of two resets at once only one finds the line where the link was made.
 */
export function isValidResetToken(key: string, token: LinkToken, user: User, nowSeconds: number): boolean {
  return token.id === user.id && isGenuine(key, token, resetClaim(user), nowSeconds)
}
