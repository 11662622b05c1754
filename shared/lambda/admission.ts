// What `admit` in serve.ts decides by: the caller that a bearer token names, and the count of requests of its
// user, its build or its address.
import { recordTokenUse } from '../accounts/commands/tokens.ts'
import { findBuilder, findTokenWithUser } from '../accounts/store/tokens.ts'
import {
  type Actor,
  abilitiesOf,
  hashSecret,
  isExpired,
  type PresentedToken,
  parseToken,
  type Token,
  verifySecret,
} from '../accounts/token.ts'
import { isBanned } from '../accounts/user.ts'
import { openByteCache } from '../cache/byte-cache.ts'
import {
  type Ability,
  ANONYMOUS_LIMIT,
  AUDIENCE_LIMITS,
  BUILDS_LIMIT,
  BUILDS_READ,
  type Limit,
  scaled,
} from '../http/audience.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError, rateLimited } from '../http/errors.ts'
import {
  type Bucket,
  clientKey,
  consume,
  knownRefusal,
  type LimitResult,
  rememberFull,
} from '../limits/limiter.ts'
import { count } from '../metrics/tally.ts'
import { required } from '../runtime/environment.ts'
import type { Settings } from '../site/settings.ts'
import { perTable } from '../table/client.ts'
import { within } from '../table/retrying.ts'
import { headerOf, type RequestContext, startSideTask, type WithRoute } from './handler.ts'

type RoutedContext = RequestContext & WithRoute

/** A token and its user as they are stored; undefined if there is no such token. */
type TokenWithUser = Awaited<ReturnType<typeof findTokenWithUser>>

/** The user of a valid token. */
type Caller = { actor: Actor; token: Token; isBanned: boolean }

/** Who sent the request: the IP address as a hash, and the parts of the bearer token, which may be wrong. */
export type Client = { address: string; presented: PresentedToken | undefined }

export function clientOf(context: RequestContext): Client {
  const { event, runtime } = context
  const { sourceIp } = event.requestContext.identity
  const [, text] = /^Bearer +(\S+)$/i.exec(headerOf(context, 'authorization')?.trim() ?? '') ?? []
  return {
    address: clientKey(sourceIp, required(runtime.environment, 'CLIENT_KEY')),
    presented: text === undefined ? undefined : parseToken(text),
  }
}

/** Reads the presented token together with its user, in one call. */
export async function readToken({ runtime }: RequestContext, { presented }: Client): Promise<TokenWithUser> {
  return presented && (await findTokenWithUser(runtime.table, presented.userId, presented.tokenId))
}

/** The user of the token that was read. Undefined without one that is right, not revoked and not expired. */
export function callerOf(
  { nowMs }: RequestContext,
  presented: PresentedToken | undefined,
  found: TokenWithUser,
  settings: Settings,
): Caller | undefined {
  if (!presented || !found || !verifySecret(presented.secret, found.token.secret_hash)) return undefined
  const { token, user } = found
  if (token.id < user.first_valid_token) return undefined
  const nowSeconds = Math.floor(nowMs / 1000)
  if (isExpired(token, nowSeconds, settings)) return undefined
  const actor = { userId: presented.userId, tokenId: token.id, abilities: abilitiesOf(token) }
  return { actor, token, isBanned: isBanned(user, nowSeconds) }
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

/** A table that hangs or throttles one client's counter must not delay the response for longer. */
const TIMEOUT_MS = 2_000

/** Whether the client is known to be over its limit, so that a request may cost no call. */
export function isKnownToBeRefused(context: RoutedContext, client: Client, caller?: Caller): boolean {
  const build = possibleBuildBucket(context, client)
  return isFull(context, bucketOf(context, client, caller)) || (build !== undefined && isFull(context, build))
}

/** Undefined if the table cannot count: requests go on uncounted, but auth endpoints refuse. */
export async function countRequest(
  context: RoutedContext,
  client: Client,
  caller: Caller | undefined,
  settings: Settings,
): Promise<LimitResult | undefined> {
  // The operations of a batch are counted with it.
  if (context.isOperation) return undefined
  const { nowMs, runtime } = context
  const bucket = bucketOf(context, client, caller)
  const { scope, failClosed } = bucket
  const counting = async () =>
    (await countForBuild(context, client, bucket, settings)) ?? (await consume(runtime.table, bucket, nowMs))
  try {
    return await within(TIMEOUT_MS, counting())
  } catch (error) {
    runtime.log('error', 'limiter failed', { scope, open: !failClosed, error: String(error) })
    if (failClosed) throw unavailable()
    count('LimiterOpen')
    return undefined
  }
}

export function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
}

export function refusal({ nowMs }: RequestContext, { limit: most, resetMs }: LimitResult): ApiError {
  return rateLimited(`Too many requests: at most ${most} a minute here.`, resetMs - nowMs)
}

/** The bucket of the user, if the endpoint counts users and the token is valid; else of the address. */
function bucketOf(context: RoutedContext, { address }: Client, caller: Caller | undefined) {
  const { limit } = context.route.endpoint
  if (limit.per === 'user' && caller) return bucket(context, limit, String(caller.actor.userId))
  return bucket(context, limit.per === 'ip' ? limit : ANONYMOUS_LIMIT, address)
}

function bucket({ runtime }: RequestContext, limit: Limit, client: string): Limit & Bucket {
  return { ...limit, client, max: scaled(limit.perMinute, runtime.environment.LIMIT_SCALE) }
}

function isFull({ runtime, nowMs }: RequestContext, bucket: Bucket): boolean {
  return knownRefusal(runtime.table, bucket, nowMs) !== undefined
}

/** The bucket of the token of a public read, if that may have `builds:read`. It is not verified yet. */
function possibleBuildBucket(context: RoutedContext, { presented }: Client): Bucket | undefined {
  const { method, ability, limit } = context.route.endpoint
  if (method !== 'GET' || ability !== null || limit !== AUDIENCE_LIMITS.public) return undefined
  if (!presented?.isForBuilds) return undefined
  return bucket(context, BUILDS_LIMIT, String(presented.tokenId))
}

/** Undefined without a valid token with `builds:read` of an admin: any other one is ignored. */
async function countForBuild(
  context: RoutedContext,
  client: Client,
  ofAddress: Bucket,
  settings: Settings,
): Promise<LimitResult | undefined> {
  const { presented } = client
  const ofToken = possibleBuildBucket(context, client)
  if (!presented || !ofToken || !mayReadToken(context, presented, ofAddress)) return undefined
  const caller = await findBuild(context, presented, settings)
  if (!caller) return undefined
  const result = await consume(context.runtime.table, ofToken, context.nowMs)
  if (result.isAllowed) noteUse(context, caller)
  return result
}

/** Whether a secret was a build's when it was read last: it only decides what a refused address may read. */
const buildsOf = perTable(() => openByteCache<boolean>(100_000, () => 8))

async function findBuild(
  context: RoutedContext,
  presented: PresentedToken,
  settings: Settings,
): Promise<Caller | undefined> {
  const { table } = context.runtime
  const nowSeconds = Math.floor(context.nowMs / 1000)
  const found = await findBuilder(table, presented, { nowSeconds, settings })
  const caller = callerOf(context, presented, found, settings)
  const isBuild = caller !== undefined && !caller.isBanned && caller.actor.abilities.includes(BUILDS_READ)
  const known = buildsOf(table)
  const secret = hashSecret(presented.secret)
  // Wrong secrets take no place of right ones.
  if (isBuild || known.get(secret)) known.set(secret, isBuild)
  return isBuild ? caller : undefined
}

/** For an address over its limit, one token a minute is read that is not known to be of a build. */
function mayReadToken(context: RoutedContext, { secret }: PresentedToken, ofAddress: Bucket): boolean {
  const { runtime, nowMs } = context
  if (!isFull(context, ofAddress)) return true
  if (buildsOf(runtime.table).get(hashSecret(secret))) return true
  const unknown = { scope: 'unknown-builds-token', client: ofAddress.client, max: 1 }
  if (isFull(context, unknown)) return false
  rememberFull(runtime.table, unknown, nowMs + 60_000)
  return true
}

/** Notes once an hour that the token is in use. */
export function noteUse(context: RequestContext, { token }: Caller): void {
  const nowSeconds = Math.floor(context.nowMs / 1000)
  startSideTask(context, recordTokenUse(context.runtime.table, token.id, nowSeconds))
}
