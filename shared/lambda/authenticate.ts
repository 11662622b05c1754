// Turns a bearer token into an actor. One read fetches the token and its user together.
import type { Actor } from '../accounts/actor.ts'
import { recordTokenUse } from '../accounts/commands/tokens.ts'
import { verifySecret } from '../accounts/secrets.ts'
import { abilitiesOf, expiryOf } from '../accounts/token.ts'
import { isBanned } from '../accounts/user.ts'
import type { Ability } from '../http/audience.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import type { Step } from './chain.ts'
import {
  headerOf,
  type RequestContext,
  startSideTask,
  type TokenWithUser,
  type WithCaller,
  type WithRoute,
  type WithSettings,
  type WithToken,
} from './request-context.ts'
import { presentedToken, rememberedToken } from './token.ts'
import { within } from './within.ts'

const RECORD_USE_EVERY_SECONDS = 3_600
/** For a quick endpoint, which answers within a second. */
const QUICK_TIMEOUT_MS = 600

function unavailable(): never {
  throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
}

export function unauthenticated(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'A valid bearer token is required.')
}

type Needs = RequestContext & WithRoute & WithToken & WithSettings

export function authenticate(): Step<Needs, WithCaller> {
  const authenticateBefore = async (context: Needs): Promise<WithCaller> => {
    const { endpoint } = context.route
    if (endpoint.ability === null) return { caller: undefined }
    const expected = expectedCaller(context)
    if (expected) return { caller: expected }
    const finding = findCaller(context)
    const found = await (endpoint.isQuick ? within(QUICK_TIMEOUT_MS, finding).catch(unavailable) : finding)
    if (!found) return { caller: undefined }
    return { caller: { actor: found.actor, fault: faultOf(endpoint, found) } }
  }
  return { before: authenticateBefore }
}

/**
 * The user of a token that this function knows to be valid, as it was read last. The request is counted and
 * its handler reads while the token is read again. Before, nothing is answered, and at most an id is taken.
 */
function expectedCaller(context: Needs): WithCaller['caller'] {
  const { endpoint } = context.route
  if (!endpoint.readsFirst || endpoint.isQuick) return undefined
  // A key is taken in the name of the caller, before the handler runs.
  if (headerOf(context, 'idempotency-key') !== undefined) return undefined
  const caller = callerOf(context, rememberedToken(context))
  if (!caller || faultOf(endpoint, caller)) return undefined
  const checked = findCaller(context).then(found => (found ? faultOf(endpoint, found) : unauthenticated()))
  // Without a handler of its own, a failure before anything awaits it would end the process.
  checked.catch(() => undefined)
  return { actor: caller.actor, fault: undefined, checked }
}

type Caller = { actor: Actor; isBanned: boolean }

/** The user of a valid token. Undefined if the token is missing, wrong, revoked or expired. */
export async function findCaller(
  context: RequestContext & WithToken & WithSettings,
): Promise<Caller | undefined> {
  const found = presentedToken(context) && (await context.readToken())
  const caller = callerOf(context, found)
  const nowSeconds = Math.floor(context.nowMs / 1000)
  if (found && caller && (found.token.last_used_at ?? 0) <= nowSeconds - RECORD_USE_EVERY_SECONDS) {
    startSideTask(context, recordTokenUse(context.runtime.table, found.token, nowSeconds))
  }
  return caller
}

/** The user of a token that was read, if it is valid. */
export function callerOf(context: RequestContext & WithSettings, found: TokenWithUser): Caller | undefined {
  const presented = presentedToken(context)
  if (!presented || !found || !verifySecret(presented.secret, found.token.secret_hash)) return undefined
  if (found.token.id < found.user.first_valid_token) return undefined
  const nowSeconds = Math.floor(context.nowMs / 1000)
  const expiresAt = expiryOf(found.token, context.settings)
  if (expiresAt !== null && expiresAt <= nowSeconds) return undefined
  const { id } = found.token
  const actor = { userId: presented.userId, tokenId: id, abilities: abilitiesOf(found.token) }
  return { actor, isBanned: isBanned(found.user, nowSeconds) }
}

function faultOf(endpoint: Endpoint, { actor, isBanned }: Caller): ApiError | undefined {
  if (isBanned) return new ApiError('ACCOUNT_BANNED', 'This account is banned.')
  const { ability } = endpoint
  if (ability === null || ability === 'any' || actor.abilities.includes(ability)) return undefined
  return new ApiError('FORBIDDEN', `This endpoint needs the ability \`${ability}\`. ${sourceOf(ability)}`)
}

/** How to get a token with the ability. */
function sourceOf(ability: Ability): string {
  if (ability === 'admin') return 'Only the owner creates admin tokens: npm run operator -- token create.'
  if (ability === 'user') return 'A token with it comes from POST /api/v1/auth/login.'
  return 'A token with it comes from POST /api/v1/me/tokens.'
}
