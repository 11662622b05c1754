// Posts calls to a destination with the client's credentials, clock and HTTP handler.
import { type Destination, destinationOf, type SignedRequest } from './destination.ts'
import { type Attempt, exchange, type HttpResponse } from './exchange.ts'
import type { Call, Result, Run, SdkConfig, Steps } from './sdk.ts'
import type { Credentials } from './signature.ts'
import { addTrace } from './trace.ts'

export type Route = Awaited<ReturnType<typeof openRoute>>

/** After this time the date of an answer says nothing about the clock. */
const LONGEST_SAMPLE_MS = 900_000

/**
 * Learns the route of each key from the first request that the SDK itself sends with success, so that
 * endpoint, region and the form of requests are always those of the SDK.
 */
export function learnRoutes(steps: Steps, config: SdkConfig, keyOf: (input: object) => string) {
  const routes = new Map<string, Route>()
  const learning =
    (next: Run): Run =>
    async (call: Call): Promise<Result> => {
      const result = await next(call)
      const key = keyOf(call.input)
      if (call.request && !routes.has(key)) routes.set(key, await openRoute(config, call.request))
      return result
    }
  steps.add(learning, { step: 'finalizeRequest', priority: 'low', name: 'learnRoutes' })
  return routes
}

/** Undefined if the SDK does more for its calls than a route does. */
async function openRoute(config: SdkConfig, request: SignedRequest) {
  const destination = destinationOf(request)
  const recordSuccess = await openRetryQuota(config)
  if (!destination || !recordSuccess || (await config.disableClockSkewCorrection?.())) return undefined

  /** Never rejects. Undefined if there are no credentials: the SDK says why. */
  const post = async (operation: string, body: string, options: object): Promise<Attempt | undefined> => {
    const credentials = await config.credentials().catch(() => undefined)
    if (!credentials) return undefined
    const sentMs = Date.now()
    const request = requestTo(destination, operation, body, credentials, sentMs + config.systemClockOffset)
    const attempt = await exchange(config.requestHandler, request, options)
    if ('response' in attempt && attempt.response.statusCode === 200) {
      recordSuccess()
      correctClock(config, attempt.response, sentMs)
    }
    return attempt
  }
  return { post }
}

function requestTo(
  { protocol, hostname, port, headers, userAgent, target, sign }: Destination,
  operation: string,
  body: string,
  credentials: Credentials,
  nowMs: number,
) {
  const unsigned = {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-target': `${target}.${operation}`,
  }
  const signed = sign(unsigned, body, credentials, new Date(nowMs))
  if (userAgent) signed['user-agent'] = userAgent
  addTrace(signed)
  return { method: 'POST', protocol, hostname, port, path: '/', headers: signed, body }
}

/** Each success refills the quota of the SDK's retries. The adaptive mode also delays calls. */
async function openRetryQuota({ retryStrategy }: SdkConfig): Promise<(() => void) | undefined> {
  const strategy = await retryStrategy()
  const token = await strategy.acquireInitialRetryToken?.('')
  if (!token || !strategy.recordSuccess || strategy.mode === 'adaptive') return undefined
  return () => strategy.recordSuccess?.(token)
}

/** As the SDK does: an answer that a cache kept has no usable date. */
function correctClock(config: SdkConfig, { headers }: HttpResponse, sentMs: number): void {
  const { date, age } = headers
  if (date === undefined || age !== undefined) return
  const [serverMs, nowMs] = [Date.parse(date), Date.now()]
  if (Number.isNaN(serverMs) || nowMs - sentMs > LONGEST_SAMPLE_MS) return
  config.systemClockOffset = serverMs - nowMs
}
