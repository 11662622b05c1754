// Turns a bearer token into the caller. A request is authorised by what was read for it alone.

import { recordTokenUse } from '../accounts/commands/tokens.ts'
import { findTokenWithUser } from '../accounts/store/tokens.ts'
import { type Actor, abilitiesOf, expiryOf, parseToken, type Token, verifySecret } from '../accounts/token.ts'
import { isBanned } from '../accounts/user.ts'
import type { Ability } from '../http/audience.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import type { Settings } from '../site/settings.ts'
import { headerOf, type RequestContext, startSideTask } from './request.ts'

/** A token and its user as they are stored; undefined if there is no such token. */
export type TokenWithUser = Awaited<ReturnType<typeof findTokenWithUser>>

/** The user of a valid token. */
export type Caller = { actor: Actor; token: Token; isBanned: boolean }

/** The parts of the bearer token, which may be wrong. Undefined if there is none. */
export function presentedToken(context: RequestContext) {
  const [, text] = /^Bearer +(\S+)$/i.exec(headerOf(context, 'authorization')?.trim() ?? '') ?? []
  return text === undefined ? undefined : parseToken(text)
}

/** Reads the presented token together with its user, in one call. */
export async function readToken(context: RequestContext): Promise<TokenWithUser> {
  const presented = presentedToken(context)
  return presented && (await findTokenWithUser(context.runtime.table, presented.userId, presented.tokenId))
}

/** The user of the token that was read. Undefined without one that is right, not revoked and not expired. */
export function callerOf(
  context: RequestContext,
  found: TokenWithUser,
  settings: Settings,
): Caller | undefined {
  const presented = presentedToken(context)
  if (!presented || !found || !verifySecret(presented.secret, found.token.secret_hash)) return undefined
  const { token, user } = found
  if (token.id < user.first_valid_token) return undefined
  const nowSeconds = Math.floor(context.nowMs / 1000)
  const expiresAt = expiryOf(token, settings)
  if (expiresAt !== null && expiresAt <= nowSeconds) return undefined
  const actor = { userId: presented.userId, tokenId: token.id, abilities: abilitiesOf(token) }
  return { actor, token, isBanned: isBanned(user, nowSeconds) }
}

/** Notes once an hour that the token is in use. */
export function noteUse(context: RequestContext, { token }: Caller): void {
  const nowSeconds = Math.floor(context.nowMs / 1000)
  startSideTask(context, recordTokenUse(context.runtime.table, token.id, nowSeconds))
}

export function isAdmin(caller: Caller | undefined): boolean {
  return caller !== undefined && !caller.isBanned && caller.actor.abilities.includes('admin')
}

export function unauthenticated(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'A valid bearer token is required.')
}

/** Why the endpoint is not for this caller, if it is not. */
export function callerFault({ ability }: Endpoint, { actor, isBanned }: Caller): ApiError | undefined {
  if (isBanned) return new ApiError('ACCOUNT_BANNED', 'This account is banned.')
  if (ability === null || ability === 'any' || actor.abilities.includes(ability)) return undefined
  return new ApiError('FORBIDDEN', `This endpoint needs the ability \`${ability}\`. ${sourceOf(ability)}`)
}

/** How to get a token with the ability. */
function sourceOf(ability: Ability): string {
  if (ability === 'admin') return 'Only the owner creates admin tokens: npm run operator -- token create.'
  if (ability === 'user') return 'A token with it comes from POST /api/v1/auth/login.'
  return 'A token with it comes from POST /api/v1/me/tokens.'
}
