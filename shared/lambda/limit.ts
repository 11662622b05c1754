// The limiter's place in the chain: reads run beside it, everything else waits for its word.
import { ANONYMOUS_LIMIT, type Limit } from '../http/audience.ts'
import { ApiError } from '../http/errors.ts'
import { clientKey } from './client-key.ts'
import { required } from './environment.ts'
import { type Exchange, exchangeOf } from './exchange.ts'
import { charge, type Verdict } from './limiter.ts'

/** Faults that come before a refusal, whatever the count says. */
const BEFORE_LIMIT = new Set(['ACCOUNT_BANNED', 'FORBIDDEN', 'REGISTRATION_DISABLED'])

/** A table that hangs or throttles one client's counter must not hold up the answers. */
const PATIENCE_MS = 2_000

export const limit = () => {
  const limitBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = exchangeOf(event)
    const { route, caller } = exchange
    if (!route) return
    exchange.verdict = judge(exchange)
    exchange.verdict.catch(() => undefined)
    const isOpen = route.endpoint.ability === null || caller !== undefined
    const fault = caller?.fault ?? (isOpen ? switchedOff(exchange) : undefined)
    if (route.endpoint.method === 'GET' && isOpen && !fault) return
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

/** If the table cannot count, reads go on uncounted and the auth endpoints refuse. */
const judge = async (exchange: Exchange): Promise<Verdict | undefined> => {
  const { runtime, nowMs } = exchange
  const { limit: bucket, client } = bucketOf(exchange)
  const perMinute = Math.max(1, Math.floor(bucket.perMinute * runtime.environment.LIMIT_SCALE))
  try {
    return await within(PATIENCE_MS, charge(runtime.table, bucket, client, perMinute, nowMs))
  } catch (error) {
    runtime.log('error', 'limiter failed', {
      scope: bucket.scope,
      open: !bucket.failClosed,
      error: String(error),
    })
    if (!bucket.failClosed) return undefined
    throw new ApiError('UNAVAILABLE', 'The service cannot answer right now.', { retryAfterSeconds: 5 })
  }
}

const within = <T>(limitMs: number, work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${limitMs} ms`)), limitMs)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

const bucketOf = ({ route, caller, event, runtime }: Exchange): { limit: Limit; client: string } => {
  const address = () =>
    clientKey(event.requestContext.identity.sourceIp, required(runtime.environment, 'CLIENT_KEY'))
  const limit = route?.endpoint.limit ?? ANONYMOUS_LIMIT
  if (limit.per === 'ip') return { limit, client: address() }
  return caller
    ? { limit, client: String(caller.actor.userId) }
    : { limit: ANONYMOUS_LIMIT, client: address() }
}

const refusal = ({ nowMs }: Exchange, { limit: most, resetMs }: Verdict): ApiError =>
  new ApiError('RATE_LIMITED', `Too many requests: at most ${most} a minute here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
  })
