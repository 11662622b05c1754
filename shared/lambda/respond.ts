// Builds the response of a REST API proxy integration from a reply or a failure.
import type { APIGatewayProxyResult } from 'aws-lambda'
import { type ApiError, ERROR_STATUS, invalid } from '../http/errors.ts'
import { CORS_HEADERS, deprecationHeaders, SECURITY_HEADERS } from '../http/headers.ts'
import { failure } from '../http/reply.ts'
import type { LimitResult } from '../limits/limiter.ts'
import { answerBodyOf, isUnmodified } from './etag.ts'
import { type CompleteContext, headerOf, type RequestContext } from './handler.ts'

type Headers = Record<string, string>

/** Lambda allows 6 MB for the serialized response, in which each quote of the body is escaped again. */
export const LARGEST_RESPONSE_BYTES = 5_900_000
/** A unit of JSON takes at most three bytes when it is escaped again. The rest is for headers. */
const SURELY_FITTING_LENGTH = 1_900_000

export function respond(context: CompleteContext): APIGatewayProxyResult {
  const { reply, replay } = context
  const { endpoint } = context.route
  const { json, etag } = answerBodyOf(endpoint, reply)
  const headers = {
    ...commonHeaders(context, isForAnybody(context) ? 'public, no-cache' : 'no-store'),
    ...(etag && { ETag: etag }),
    ...(replay && { 'Idempotent-Replayed': 'true' }),
    ...reply.headers,
  }
  const isRead = endpoint.method === 'GET'
  if (etag && isRead && isUnmodified(headerOf(context, 'if-none-match'), etag)) {
    return { statusCode: 304, headers, body: '' }
  }
  const response = jsonResponse(endpoint.status, headers, json)
  if (isTooLarge(response)) throw tooLarge(reply.data)
  return response
}

export function respondFailure(context: RequestContext, error: ApiError): APIGatewayProxyResult {
  const headers: Headers = {
    ...commonHeaders(context, 'no-store'),
    ...(error.retryAfterSeconds !== undefined && { 'Retry-After': String(error.retryAfterSeconds) }),
  }
  const body = JSON.stringify(failure(error.code, error.message, error.fields))
  return jsonResponse(ERROR_STATUS[error.code], headers, body)
}

/** HEAD gets the whole response of GET, with its length; the gateway leaves out the body. */
function jsonResponse(statusCode: number, headers: Headers, body: string): APIGatewayProxyResult {
  return {
    statusCode,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body,
  }
}

function commonHeaders({ requestId, runtime, limitResult }: RequestContext, cacheControl: string): Headers {
  return {
    'X-Request-Id': requestId,
    ...CORS_HEADERS,
    ...SECURITY_HEADERS,
    ...deprecationHeaders(runtime.environment.V2_SHIPPED_ON),
    Vary: 'Accept-Encoding',
    'Cache-Control': cacheControl,
    ...(limitResult && limitHeaders(limitResult)),
  }
}

/** Whether the answer to this read does not depend on a token. In maintenance only admins get an answer. */
function isForAnybody({ route, settings }: CompleteContext): boolean {
  const { audience, method, ability, isOpenInMaintenance } = route.endpoint
  if (audience !== 'public' || method !== 'GET' || ability !== null) return false
  return isOpenInMaintenance || !settings['maintenance.enabled']
}

function limitHeaders({ limit, remaining, resetMs }: LimitResult): Headers {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetMs / 1000)),
  }
}

function isTooLarge(response: APIGatewayProxyResult): boolean {
  return response.body.length > SURELY_FITTING_LENGTH && serializedBytes(response) > LARGEST_RESPONSE_BYTES
}

function serializedBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Says how many of the page's items fit, because a page is never cut short. */
function tooLarge(data: unknown): ApiError {
  const items = Array.isArray(data) ? data : [data]
  let bytes = 10_000
  const fitting = items.findIndex(item => {
    bytes += serializedBytes(JSON.stringify(item)) + 1
    return bytes > LARGEST_RESPONSE_BYTES
  })
  return invalid({ per_page: [`The answer is too large: ${fitting} of this page's items fit.`] })
}
