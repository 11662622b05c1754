// The limiter's place in the chain: reads run beside it, unless it knows that they are refused; all else waits for it.
import { ANONYMOUS_LIMIT, type Limit, widened } from '../http/audience.ts'
import { ApiError } from '../http/errors.ts'
import type { Table } from '../table/client.ts'
import { clientKey, wideClientKey } from './client-key.ts'
import { required } from './environment.ts'
import { type Exchange, exchangeOf } from './exchange.ts'
import { charge, knownRefusal, type Verdict } from './limiter.ts'
import { within } from './within.ts'

/** Faults that come before a refusal, whatever the count says. */
const BEFORE_LIMIT = new Set(['ACCOUNT_BANNED', 'FORBIDDEN', 'REGISTRATION_DISABLED'])

/** A table that hangs or throttles one client's counter must not hold up the answers. */
const PATIENCE_MS = 2_000
/** Of an endpoint that answers quickly or not at all. */
const QUICK_PATIENCE_MS = 600

export const limit = () => {
  const limitBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = exchangeOf(event)
    const { route, caller } = exchange
    if (!route) return
    const buckets = bucketsOf(exchange)
    exchange.verdict = judge(exchange, buckets)
    exchange.verdict.catch(() => undefined)
    const isKnown = knownRefusals(buckets, exchange.nowMs).length > 0
    const isOpen = route.endpoint.ability === null || caller !== undefined
    const fault = caller?.fault ?? (isOpen ? switchedOff(exchange) : undefined)
    if (route.endpoint.method === 'GET' && isOpen && !fault && !isKnown) return
    const verdict = await exchange.verdict
    if (fault) throw fault
    if (verdict && !verdict.isAllowed) throw refusal(exchange, verdict)
    if (!isOpen) throw new ApiError('UNAUTHENTICATED', 'A valid bearer token is required.')
  }

  const limitAfter = async ({ event }: { event: object }): Promise<void> => {
    const exchange = exchangeOf(event)
    const verdict = await exchange.verdict
    if (verdict && !verdict.isAllowed) throw refusal(exchange, verdict)
  }

  const limitOnError = async (request: { event: object; error: unknown }): Promise<void> => {
    const exchange = exchangeOf(request.event)
    const verdict = await exchange.verdict?.catch(() => undefined)
    const isEarlier = request.error instanceof ApiError && BEFORE_LIMIT.has(request.error.code)
    if (verdict && !verdict.isAllowed && !isEarlier) request.error = refusal(exchange, verdict)
  }
  return { before: limitBefore, after: limitAfter, onError: limitOnError }
}

/** What the settings have against the endpoint itself, whoever asks. */
const switchedOff = ({ route, settings }: Exchange): ApiError | undefined => {
  const missing = route?.endpoint.requires.find(({ setting }) => settings && settings[setting] !== true)
  return missing && new ApiError(missing.code, missing.message)
}

type Bucket = { limit: Limit; client: string; perMinute: number }

/** If the table cannot count, reads go on uncounted and the auth endpoints refuse. */
const judge = async (
  { runtime, nowMs, route }: Exchange,
  buckets: Bucket[],
): Promise<Verdict | undefined> => {
  const known = knownRefusals(buckets, nowMs)
  if (known.length > 0) return strictest(known)
  try {
    const patienceMs = route?.endpoint.isQuick ? QUICK_PATIENCE_MS : PATIENCE_MS
    return strictest(await within(patienceMs, chargeAll(runtime.table, buckets, nowMs)))
  } catch (error) {
    const [{ scope, failClosed } = ANONYMOUS_LIMIT] = buckets.map(({ limit }) => limit)
    runtime.log('error', 'limiter failed', { scope, open: !failClosed, error: String(error) })
    if (!failClosed) return undefined
    throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
  }
}

const knownRefusals = (buckets: Bucket[], nowMs: number): Verdict[] =>
  buckets.flatMap(({ limit, client, perMinute }) => knownRefusal(limit, client, perMinute, nowMs) ?? [])

/** One after the other, up to the first refusal: what one network sends too much must not fill a bucket of others. */
const chargeAll = async (table: Table, buckets: Bucket[], nowMs: number): Promise<Verdict[]> => {
  const verdicts: Verdict[] = []
  for (const { limit, client, perMinute } of buckets) {
    const verdict = await charge(table, limit, client, perMinute, nowMs)
    verdicts.push(verdict)
    if (!verdict.isAllowed) break
  }
  return verdicts
}

/** The refusal that lasts longest or, if all allow the request, the bucket with the fewest requests left. */
const strictest = (verdicts: Verdict[]): Verdict | undefined =>
  verdicts.toSorted(
    (a, b) =>
      Number(a.isAllowed) - Number(b.isAllowed) ||
      (a.isAllowed ? a.remaining - b.remaining : b.resetMs - a.resetMs),
  )[0]

/** A user's bucket, or that of an address; of IPv6, where one customer may have a /48, that of the /48 beside it. */
const bucketsOf = ({ route, caller, event, runtime }: Exchange): Bucket[] => {
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

const refusal = ({ nowMs }: Exchange, { limit: most, resetMs }: Verdict): ApiError =>
  new ApiError('RATE_LIMITED', `Too many requests: at most ${most} a minute here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
  })
