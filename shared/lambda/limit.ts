// The limiter's place in the chain: reads run beside it, unless it knows that they are refused; all else waits for it.
import { ANONYMOUS_LIMIT, type Limit, widened } from '../http/audience.ts'
import { ApiError } from '../http/errors.ts'
import { clientKey, wideClientKey } from '../limits/client-key.ts'
import { consume, knownRefusal, type LimitResult } from '../limits/limiter.ts'
import { required } from '../runtime/environment.ts'
import { isSwitchedOn } from '../site/settings.ts'
import type { Table } from '../table/client.ts'
import { contextOf, type RequestContext } from './request-context.ts'
import { within } from './within.ts'

/** Faults that come before a refusal, whatever the count says. */
const BEFORE_LIMIT = new Set(['ACCOUNT_BANNED', 'FORBIDDEN', 'REGISTRATION_DISABLED'])

/** A table that hangs or throttles one client's counter must not hold up the answers. */
const TIMEOUT_MS = 2_000
/** Of an endpoint that answers quickly or not at all. */
const QUICK_TIMEOUT_MS = 600

export function limit() {
  const limitBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    const { route, caller } = exchange
    if (!route) return
    const buckets = bucketsOf(exchange)
    exchange.limitResult = checkLimit(exchange, buckets)
    exchange.limitResult.catch(() => undefined)
    const isKnown = knownRefusals(buckets, exchange.nowMs).length > 0
    const isOpen = route.endpoint.ability === null || caller !== undefined
    const fault = caller?.fault ?? (isOpen ? switchedOff(exchange) : undefined)
    if (route.endpoint.method === 'GET' && isOpen && !fault && !isKnown) return
    const result = await exchange.limitResult
    if (fault) throw fault
    if (result && !result.isAllowed) throw refusal(exchange, result)
    if (!isOpen) throw new ApiError('UNAUTHENTICATED', 'A valid bearer token is required.')
  }

  const limitAfter = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    const result = await exchange.limitResult
    if (result && !result.isAllowed) throw refusal(exchange, result)
  }

  const limitOnError = async (request: { event: object; error: unknown }): Promise<void> => {
    const exchange = contextOf(request.event)
    const result = await exchange.limitResult?.catch(() => undefined)
    const isEarlier = request.error instanceof ApiError && BEFORE_LIMIT.has(request.error.code)
    if (result && !result.isAllowed && !isEarlier) request.error = refusal(exchange, result)
  }
  return { before: limitBefore, after: limitAfter, onError: limitOnError }
}

/** What the settings have against the endpoint itself, whoever asks. */
function switchedOff({ route, settings }: RequestContext): ApiError | undefined {
  const missing = route?.endpoint.requires.find(({ setting }) => settings && !isSwitchedOn(settings, setting))
  return missing && new ApiError(missing.code, missing.message)
}

type Bucket = { limit: Limit; client: string; perMinute: number }

/** If the table cannot count, reads go on uncounted and the auth endpoints refuse. */
async function checkLimit(
  { runtime, nowMs, route }: RequestContext,
  buckets: Bucket[],
): Promise<LimitResult | undefined> {
  const known = knownRefusals(buckets, nowMs)
  if (known.length > 0) return strictest(known)
  try {
    const patienceMs = route?.endpoint.isQuick ? QUICK_TIMEOUT_MS : TIMEOUT_MS
    return strictest(await within(patienceMs, consumeAll(runtime.table, buckets, nowMs)))
  } catch (error) {
    const [{ scope, failClosed } = ANONYMOUS_LIMIT] = buckets.map(({ limit }) => limit)
    runtime.log('error', 'limiter failed', { scope, open: !failClosed, error: String(error) })
    if (!failClosed) return undefined
    throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
  }
}

function knownRefusals(buckets: Bucket[], nowMs: number): LimitResult[] {
  return buckets.flatMap(
    ({ limit, client, perMinute }) => knownRefusal(limit, client, perMinute, nowMs) ?? [],
  )
}

/** One after the other, up to the first refusal: what one network sends too much must not fill a bucket of others. */
async function consumeAll(table: Table, buckets: Bucket[], nowMs: number): Promise<LimitResult[]> {
  const results: LimitResult[] = []
  for (const { limit, client, perMinute } of buckets) {
    const result = await consume(table, limit, client, perMinute, nowMs)
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

/** A user's bucket, or that of an address; of IPv6, where one customer may have a /48, that of the /48 beside it. */
function bucketsOf({ route, caller, event, runtime }: RequestContext): Bucket[] {
  const { LIMIT_SCALE } = runtime.environment
  const bucket = (limit: Limit, client: string): Bucket => ({
    limit,
    client,
    perMinute: Math.max(1, Math.floor(limit.perMinute * LIMIT_SCALE)),
  })
  const limit = route?.endpoint.limit ?? ANONYMOUS_LIMIT
  if (limit.per === 'user' && caller) return [bucket(limit, String(caller.actor.userId))]
  const ofAddress = limit.per === 'ip' ? limit : ANONYMOUS_LIMIT
  const { sourceIp } = event.requestContext.identity
  const key = required(runtime.environment, 'CLIENT_KEY')
  const wide = wideClientKey(sourceIp, key)
  return [
    bucket(ofAddress, clientKey(sourceIp, key)),
    ...(wide === undefined ? [] : [bucket(widened(ofAddress), wide)]),
  ]
}

function refusal({ nowMs }: RequestContext, { limit: most, resetMs }: LimitResult): ApiError {
  return new ApiError('RATE_LIMITED', `Too many requests: at most ${most} a minute here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
  })
}
