// Counts the request against its rate limits. Reads run while it is counted; writes wait for the result.
import { isMarkedForBuilds } from '../accounts/secrets.ts'
import {
  ANONYMOUS_LIMIT,
  AUDIENCE_LIMITS,
  BUILDS_LIMIT,
  BUILDS_READ,
  type Limit,
  widened,
} from '../http/audience.ts'
import { ApiError } from '../http/errors.ts'
import { clientKey, wideClientKey } from '../limits/client-key.ts'
import {
  consume,
  knownRefusal,
  type LimitResult,
  MINUTE_MS,
  refund,
  rememberFull,
} from '../limits/limiter.ts'
import { count } from '../metrics/tally.ts'
import { required } from '../runtime/environment.ts'
import type { Table } from '../table/client.ts'
import { callerOf, findCaller } from './authenticate.ts'
import type { Step } from './chain.ts'
import type {
  RequestContext,
  WithCaller,
  WithLimit,
  WithRoute,
  WithSettings,
  WithToken,
} from './request-context.ts'
import { presentedToken, readBuildToken, rememberedToken } from './token.ts'
import { within } from './within.ts'

/** These faults take precedence over 429. */
const BEFORE_LIMIT = new Set(['ACCOUNT_BANNED', 'FORBIDDEN', 'REGISTRATION_DISABLED'])

/** A table that hangs or throttles one client's counter must not delay the response for longer. */
const TIMEOUT_MS = 2_000
/** For a quick endpoint, which answers within a second. */
const QUICK_TIMEOUT_MS = 600

type Needs = RequestContext & WithRoute & WithToken & WithSettings & WithCaller

export function limit(): Step<Needs, WithLimit> {
  const limitBefore = (context: Needs): WithLimit => {
    const buckets = bucketsOf(context)
    const ofBuild = possibleBuildBucket(context)
    const isRefused = isAnyFull(context, buckets, ofBuild)
    const limitResult = checkExpected(context, buckets) ?? checkLimit(context, buckets, ofBuild)
    // Without a handler of its own, a failure before anything awaits the result would end the process.
    limitResult.catch(() => undefined)
    return { limitResult, isRefused }
  }

  const limitAfter = async (context: RequestContext & WithCaller & WithLimit): Promise<void> => {
    await waitForCount(context)
  }

  const limitOnError = async (context: RequestContext & Partial<WithCaller & WithLimit>, error: unknown) => {
    const fault = await context.caller?.checked?.catch((problem: unknown) => problem)
    const result = await context.limitResult?.catch(() => undefined)
    return result && !result.isAllowed && !isBeforeLimit(fault ?? error) ? refusal(context, result) : fault
  }
  return { before: limitBefore, after: limitAfter, onError: limitOnError }
}

function isBeforeLimit(error: unknown): boolean {
  return error instanceof ApiError && BEFORE_LIMIT.has(error.code)
}

/** Waits for the count, and for the token of an expected caller. Throws RATE_LIMITED, or its fault. */
export async function waitForCount(context: RequestContext & WithCaller & WithLimit): Promise<void> {
  const fault = await context.caller?.checked
  const result = await context.limitResult
  if (result && !result.isAllowed && !isBeforeLimit(fault)) throw refusal(context, result)
  if (fault) throw fault
}

function refusal({ nowMs }: RequestContext, { limit: most, resetMs }: LimitResult): ApiError {
  return new ApiError('RATE_LIMITED', `Too many requests: at most ${most} a minute here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
  })
}

type Bucket = { limit: Limit; client: string; perMinute: number }

/** If the table cannot count, reads go on uncounted and the auth endpoints refuse. */
async function checkLimit(
  context: Needs,
  buckets: Bucket[],
  ofBuild: Bucket | undefined,
): Promise<LimitResult | undefined> {
  const { runtime, nowMs, route } = context
  const refusals = knownRefusals(runtime.table, buckets, nowMs)
  if (refusals.length > 0 && !(ofBuild && mayReadBuildToken(context, buckets))) return strictest(refusals)
  const countRequest = async () => {
    const isBuild = ofBuild !== undefined && (await hasBuildToken(context))
    return await consumeAll(runtime.table, isBuild ? [ofBuild] : buckets, nowMs)
  }
  try {
    const timeoutMs = route.endpoint.isQuick ? QUICK_TIMEOUT_MS : TIMEOUT_MS
    return strictest(await within(timeoutMs, countRequest()))
  } catch (error) {
    const [{ scope, failClosed } = ANONYMOUS_LIMIT] = buckets.map(bucket => bucket.limit)
    runtime.log('error', 'limiter failed', { scope, open: !failClosed, error: String(error) })
    if (!failClosed) {
      count('LimiterOpen')
      return undefined
    }
    throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
  }
}

/** Whether the address or the token of a build is known to be over its limit, before either is verified. */
export function isKnownToBeRefused(context: RequestContext & WithRoute): boolean {
  // The first request of a function reads the key.
  if (context.runtime.environment.CLIENT_KEY === undefined) return false
  return isAnyFull(context, bucketsOf(context), possibleBuildBucket(context))
}

function isAnyFull({ runtime, nowMs }: RequestContext, buckets: Bucket[], ofBuild?: Bucket): boolean {
  const likely = ofBuild ? [...buckets, ofBuild] : buckets
  return knownRefusals(runtime.table, likely, nowMs).length > 0
}

/** Counts for an expected caller. If the token is not valid any more, the request is one without a caller. */
function checkExpected(context: Needs, buckets: Bucket[]): Promise<LimitResult | undefined> | undefined {
  const { caller, route, runtime, nowMs } = context
  if (!caller?.checked || route.endpoint.limit.per !== 'user') return undefined
  return Promise.all([checkLimit(context, buckets, undefined), caller.checked]).then(
    async ([result, fault]) => {
      if (fault?.code !== 'UNAUTHENTICATED') return result
      const counted = result?.isAllowed ? buckets : []
      const refunds = counted.map(({ limit, client }) => refund(runtime.table, limit, client, nowMs))
      await within(TIMEOUT_MS, Promise.all(refunds)).catch(() => undefined)
      const withoutCaller = { ...context, caller: undefined }
      return await checkLimit(withoutCaller, bucketsOf(withoutCaller), undefined)
    },
  )
}

function knownRefusals(table: Table, buckets: Bucket[], nowMs: number): LimitResult[] {
  return buckets.flatMap(
    bucket => knownRefusal(table, bucket.limit, bucket.client, bucket.perMinute, nowMs) ?? [],
  )
}

/** Stops at the first refusal, so that excess requests of one network do not use up a shared bucket. */
async function consumeAll(table: Table, buckets: Bucket[], nowMs: number): Promise<LimitResult[]> {
  const results: LimitResult[] = []
  for (const bucket of buckets) {
    const result = await consume(table, bucket.limit, bucket.client, bucket.perMinute, nowMs)
    results.push(result)
    if (!result.isAllowed) break
  }
  return results
}

/** The refusal that lasts longest or, if all allow the request, the bucket with the fewest requests left. */
function strictest(results: LimitResult[]): LimitResult | undefined {
  return results.toSorted(
    (a, b) =>
      Number(a.isAllowed) - Number(b.isAllowed) ||
      (a.isAllowed ? a.remaining - b.remaining : b.resetMs - a.resetMs),
  )[0]
}

/** The bucket of the token of a public read, if that may have `builds:read`. It is not verified yet. */
function possibleBuildBucket(context: RequestContext & WithRoute): Bucket | undefined {
  const { endpoint } = context.route
  const isPublicRead =
    endpoint.method === 'GET' && endpoint.ability === null && endpoint.limit === AUDIENCE_LIMITS.public
  const presented = isPublicRead ? presentedToken(context) : undefined
  if (!presented || !isMarkedForBuilds(presented.secret)) return undefined
  return bucketOf(context, BUILDS_LIMIT, String(presented.tokenId))
}

/** Anything but a valid token with `builds:read` of an admin is ignored. */
async function hasBuildToken(context: Needs): Promise<boolean> {
  return isOfBuild(await findCaller({ ...context, readToken: () => readBuildToken(context) }))
}

function isOfBuild(caller: ReturnType<typeof callerOf>): boolean {
  return caller !== undefined && !caller.isBanned && caller.actor.abilities.includes(BUILDS_READ)
}

/** Of an address over its limit, one token a minute is read that is not remembered as one of a build. */
const UNKNOWN_TOKEN = { scope: 'unknown-builds-token', kind: 'window' } as const

function mayReadBuildToken(context: Needs, [bucket]: Bucket[]): boolean {
  const { runtime, nowMs } = context
  if (isOfBuild(callerOf(context, rememberedToken(context)))) return true
  if (!bucket || knownRefusal(runtime.table, UNKNOWN_TOKEN, bucket.client, 1, nowMs)) return false
  rememberFull(runtime.table, UNKNOWN_TOKEN, bucket.client, nowMs + MINUTE_MS)
  return true
}

function bucketOf({ runtime }: RequestContext, limit: Limit, client: string): Bucket {
  const perMinute = Math.max(1, Math.floor(limit.perMinute * runtime.environment.LIMIT_SCALE))
  return { limit, client, perMinute }
}

/** The bucket of a user or an address. IPv6 also counts for the /48, which one customer may have. */
function bucketsOf(context: RequestContext & WithRoute & Partial<WithCaller>): Bucket[] {
  const { route, caller, event, runtime } = context
  const { limit: declared } = route.endpoint
  if (declared.per === 'user' && caller) return [bucketOf(context, declared, String(caller.actor.userId))]
  const ofAddress = declared.per === 'ip' ? declared : ANONYMOUS_LIMIT
  const { sourceIp } = event.requestContext.identity
  const key = required(runtime.environment, 'CLIENT_KEY')
  const wide = wideClientKey(sourceIp, key)
  return [
    bucketOf(context, ofAddress, clientKey(sourceIp, key)),
    ...(wide === undefined ? [] : [bucketOf(context, widened(ofAddress), wide)]),
  ]
}
