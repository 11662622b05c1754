// A bearer token becomes an actor; one read fetches the token and its user together.
import type { Actor } from '../accounts/actor.ts'
import { touchToken } from '../accounts/commands/tokens.ts'
import { parseToken, verifySecret } from '../accounts/secrets.ts'
import { findTokenWithUser } from '../accounts/store/tokens.ts'
import { expiryOf } from '../accounts/token.ts'
import { isBanned } from '../accounts/user.ts'
import type { Ability } from '../http/audience.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { contextOf, doBeside, headerOf, type RequestContext } from './request-context.ts'
import { within } from './within.ts'

const TOUCH_EVERY_SECONDS = 3_600
/** Of an endpoint that answers quickly or not at all. */
const QUICK_MS = 600

function unavailable(): never {
  throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
}

export function authenticate() {
  const authenticateBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    const endpoint = exchange.route?.endpoint
    if (!endpoint || endpoint.ability === null) return
    const finding = findCaller(exchange)
    const caller = await (endpoint.isQuick ? within(QUICK_MS, finding).catch(unavailable) : finding)
    if (!caller) return
    exchange.caller = { actor: caller.actor, fault: faultOf(endpoint, caller.actor, caller.isBanned) }
  }
  return { before: authenticateBefore }
}

/** The user of a valid token, whatever it may do; the expiry of all tokens is a setting. */
export async function findCaller(
  exchange: RequestContext,
): Promise<{ actor: Actor; isBanned: boolean } | undefined> {
  const [, text] = /^Bearer +(\S+)$/i.exec(headerOf(exchange, 'authorization')?.trim() ?? '') ?? []
  const presented = text === undefined ? undefined : parseToken(text)
  if (!presented) return undefined
  const { table } = exchange.runtime
  const found = await findTokenWithUser(table, presented.userId, presented.tokenId)
  if (!found || !verifySecret(presented.secret, found.token.secret_hash)) return undefined
  if (found.token.id < found.user.first_valid_token) return undefined
  const nowSeconds = Math.floor(exchange.nowMs / 1000)
  const expiresAt = expiryOf(found.token, exchange.settings)
  if (expiresAt !== null && expiresAt <= nowSeconds) return undefined
  if ((found.token.last_used_at ?? 0) <= nowSeconds - TOUCH_EVERY_SECONDS) {
    doBeside(exchange, touchToken(table, found.token, nowSeconds))
  }
  const { id, abilities } = found.token
  const actor = { userId: presented.userId, tokenId: id, abilities }
  return { actor, isBanned: isBanned(found.user, nowSeconds) }
}

function faultOf(endpoint: Endpoint, actor: Actor, isBanned: boolean): ApiError | undefined {
  if (isBanned) return new ApiError('ACCOUNT_BANNED', 'This account is banned.')
  const { ability } = endpoint
  if (ability === null || ability === 'any' || actor.abilities.includes(ability)) return undefined
  return new ApiError('FORBIDDEN', `This endpoint needs the ability \`${ability}\`. ${sourceOf(ability)}`)
}

/** Where a token comes from that may do it. */
function sourceOf(ability: Ability): string {
  if (ability === 'admin') return 'Admin tokens are made by the owner: npm run operator -- token create.'
  if (ability === 'user') return 'A token with it comes from POST /api/v1/auth/login.'
  return 'A token with it comes from POST /api/v1/me/tokens.'
}
