// The headers of requests and answers, each described once.
import { type Endpoint, isGuarded, showsTag, takesIdempotencyKey } from '../http/endpoint.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Json } from './schemas.ts'

function text(description: string, required = false): Json {
  return {
    description,
    ...(required && { required }),
    schema: { type: 'string' },
  }
}

function number(description: string): Json {
  return { description, schema: { type: 'integer', format: 'int64' } }
}

/** Of answers. Those of the limiter are missing where it could not count. */
export const HEADERS = {
  'X-Request-Id': text("The request's own id if it was well-formed, else a new one.", true),
  'X-Ignored': text(
    'Names of members and parameters that the endpoint does not know and ignored, at most ten.',
  ),
  'Cache-Control': text('Public reads may be kept and asked for again, everything else may not.', true),
  ETag: text('Names this state of the answer, for `If-None-Match` and `If-Match`.', true),
  'X-RateLimit-Limit': number('Requests that the minute takes in this bucket.'),
  'X-RateLimit-Remaining': number('How many of them are left.'),
  'X-RateLimit-Reset': number('When the minute is over, in epoch seconds.'),
  'Retry-After': number('Seconds to wait before the next attempt.'),
  'Idempotent-Replayed': text('`true` on the answer to a repeated request, which did nothing.'),
  Deprecation: text('Once v2 has shipped: since when, as `@` and epoch seconds (RFC 9745).'),
  Sunset: text('Once v2 has shipped: until when v1 is answered, as an HTTP date (RFC 8594).'),
} as const
type HeaderName = keyof typeof HEADERS

function headers(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

const LIMITS = headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')

/** Of an answer that went well, a 304 included. */
export function answerHeaders(endpoint: Endpoint): Json {
  return {
    ...headers('X-Request-Id', 'Cache-Control'),
    ...(showsTag(endpoint) && headers('ETag')),
    ...(takesIdempotencyKey(endpoint) && headers('Idempotent-Replayed')),
    ...LIMITS,
    ...headers('X-Ignored', 'Deprecation', 'Sunset'),
  }
}

/** Of a failure: what is of use there. */
export function failureHeaders(codes: readonly ErrorCode[]): Json {
  return {
    ...headers('X-Request-Id', 'X-Ignored'),
    ...(codes.some(code => SAYS_WHEN.has(code)) && headers('Retry-After')),
    ...(codes.includes('RATE_LIMITED') && LIMITS),
  }
}

const SAYS_WHEN = new Set<ErrorCode>([
  'RATE_LIMITED',
  'MAINTENANCE_MODE',
  'UNAVAILABLE',
  'IDEMPOTENCY_CONFLICT',
])

function parameter(name: string, description: string, schema: Json = {}): Json {
  return {
    name,
    in: 'header',
    description,
    schema: { type: 'string', ...schema },
  }
}

/** Of requests, by the name of their component. */
export const HEADER_PARAMETERS = {
  RequestId: parameter(
    'X-Request-Id',
    'An id of your own, which comes back and goes into logs and deliveries: 1 to 128 of `A-Za-z0-9._-`. Anything else is replaced by a new id.',
  ),
  IfNoneMatch: parameter('If-None-Match', 'Tags that you have, or `*`: 304 when one of them is still right.'),
  IfMatch: parameter('If-Match', 'Tags that you have seen, or `*`: 412 when the record is newer.'),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'The same key, path and body within 24 hours is answered again and not done again.',
    { minLength: 1, maxLength: 255 },
  ),
} as const
type ParameterName = keyof typeof HEADER_PARAMETERS

export function headerParametersOf(endpoint: Endpoint): Json[] {
  const names: ParameterName[] = ['RequestId']
  if (endpoint.method === 'GET' && showsTag(endpoint)) names.push('IfNoneMatch')
  if (isGuarded(endpoint)) names.push('IfMatch')
  if (takesIdempotencyKey(endpoint)) names.push('IdempotencyKey')
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }))
}
